// How a program is written down: records have consecutive slices of one list of places. Offsets in
// the frame count from behind the pointers that the list becomes at run time, whose number is known
// at the end only, so Finish adds their size.
#include "axle/codegen/kinds/program_writer.h"

#include <cstdlib>
#include <cstring>

namespace axle {
namespace {

struct CopyPlan {
  i64 bytes;
};

int RunCopy(const RunContext*, const void* plan, void* const* buffers, i64, i64) {
  const i64 bytes = static_cast<const CopyPlan*>(plan)->bytes;
  std::memcpy(buffers[1], buffers[0], static_cast<size_t>(bytes));
  return kKernelOk;
}

}  // namespace

Status ProgramWriter::SetConstants(const Schedule& schedule, const BufferPlan& plan) {
  if (plan.constant_bytes == 0) return {};
  auto* const constants = static_cast<std::byte*>(
      std::aligned_alloc(kPlaceAlignment, static_cast<size_t>(plan.constant_bytes)));
  if (constants == nullptr) return ResourceExhausted("compile: no memory for constants");
  program_->constants = std::shared_ptr<const std::byte>(
      constants, [](const std::byte* block) { std::free(const_cast<std::byte*>(block)); });
  for (const auto& [value, literal] : schedule.constants) {
    std::memcpy(constants + plan.places[value].offset, literal.bytes(),
                static_cast<size_t>(literal.num_bytes()));
  }
  return {};
}

Record& ProgramWriter::AddRecord(std::span<const Place> places, std::string name) {
  Record& record = program_->records.emplace_back();
  record.first_place = static_cast<std::uint32_t>(program_->places.size());
  record.num_places = static_cast<std::uint32_t>(places.size());
  record.name = std::move(name);
  program_->places.insert(program_->places.end(), places.begin(), places.end());
  return record;
}

void ProgramWriter::AddCopy(const Place& from, const Place& to, i64 bytes) {
  if (bytes == 0 || from == to) return;
  const Place places[] = {from, to};
  SetKernel(AddRecord(places, "copy"), &RunCopy, std::make_shared<CopyPlan>(CopyPlan{bytes}));
}

std::shared_ptr<const Program> ProgramWriter::Finish(i64 num_blocks, i64 frame_bytes) && {
  Program& program = *program_;
  program.num_blocks = num_blocks;
  for (Place& place : program.places) {
    if (place.base == Place::kFrame) place.offset += program.pointer_bytes();
  }
  program.frame_bytes = program.pointer_bytes() + frame_bytes;
  return std::move(program_);
}

}  // namespace axle
