// OpSharding: shardings in the proto. The IR carries a sharding as the text that HLO text has for
// it; axle/text/sharding.h says what that is and checks it.
#pragma once
#include <string>

#include "axle/core/wire.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/text/sharding.h"

namespace axle {

// `text` is one that the IR holds. Lists of devices stay lists and iotas stay iotas.
WireWriter ShardingMessage(std::string_view text);
StatusOr<ShardingText> ReadSharding(const WireReader& in);

// The two shardings of a domain, in fields of the instruction.
void WriteDomainSharding(const DomainSharding& domain, WireWriter& instruction);
// Reads all of `instruction`, which has to have both.
Status ReadDomainSharding(WireReader& instruction, DomainSharding& domain);

}  // namespace axle
