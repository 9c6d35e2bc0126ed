// Field numbers of XLA's messages, where they are not in the rows of the op table. Names are those
// of xla_data.proto and hlo.proto.
#pragma once

namespace axle::field {

enum HloInstruction {
  kName = 1,
  kOpcode = 2,
  kShape = 3,
  kMetadata = 7,
  kLiteral = 8,
  kFusionKind = 11,
  kId = 35,
  kOperandIds = 36,
  kControlPredecessorIds = 37,
  kCalledComputationIds = 38,
  kSharding = 40,
  kBackendConfig = 43,
  kParameterReplication = 61,
  kFrontendAttributes = 68,
  kStatisticsViz = 82,
  kOriginalValue = 88,
  kResultAccuracy = 91,
  kBackendConfigPayload = 99,
};

enum HloComputation {
  kComputationName = 1,
  kInstructions = 2,
  kProgramShape = 4,
  kComputationId = 5,
  kRootId = 6,
  kIsFusionComputation = 7,
  kExecutionThread = 8,
};

enum HloModule {
  kModuleName = 1,
  kEntryComputationName = 2,
  kComputations = 3,
  kHostProgramShape = 4,
  kEntryComputationId = 6,
  kSchedule = 7,
  kInputOutputAlias = 8,
  kStackFrameIndex = 17,
  kBufferDonor = 18,
  kModuleFrontendAttributes = 19,
  kPayloads = 22,
  // What the head of a module's text says and HloModuleProto has no field for: a message of our own
  // under a number that XLA skips. Without it a module would not survive the trip.
  kAxleConfig = 100000,
};

// Of the message in kAxleConfig.
enum AxleConfig {
  kReplicaCount = 1,
  kNumPartitions = 2,
  kAliasPassthroughParams = 3,
  kAllowPropagationToParameters = 4,
  kAllowPropagationToOutput = 5,
  kOriginRecoveryTable = 6,
  kDebugAttributes = 7,
  kEndsWithoutEmptyLine = 8,
};

enum ProgramShape { kParameters = 1, kResult = 2, kParameterNames = 3 };

enum Payload { kPayloadValue = 1, kPayloadId = 2 };

// HloProto, HloSnapshot.
enum Container { kHloModule = 1, kHlo = 1, kArguments = 2, kSnapshotResult = 3 };

}  // namespace axle::field
