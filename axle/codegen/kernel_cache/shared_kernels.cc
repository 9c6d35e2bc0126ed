// The table has weak references: code lives as long as a program that uses it, and no longer. Rows
// of code that is gone are taken out when the table has twice as many rows as it had after the last
// time, so that each row costs a constant.
#include "axle/codegen/kernel_cache/shared_kernels.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "axle/core/strings.h"

namespace axle {
namespace {

class Table {
 public:
  static Table& Get() {
    static auto* const table = new Table;  // programs may be freed after static objects
    return *table;
  }

  std::optional<SharedKernel> Find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto row = rows_.find(key);
    if (row == rows_.end()) return std::nullopt;
    std::shared_ptr<const MachineCode> code = row->second.code.lock();
    if (code == nullptr) return std::nullopt;
    return SharedKernel{row->second.address, std::move(code)};
  }

  void Add(const std::string& key, void* address, const std::shared_ptr<const MachineCode>& code) {
    const std::lock_guard lock(mutex_);
    Row& row = rows_[key];
    if (row.code.expired()) row = {address, code};
    if (rows_.size() < next_sweep_) return;
    Sweep();
    next_sweep_ = std::max(kMinRows, 2 * rows_.size());
  }

  size_t size() {
    const std::lock_guard lock(mutex_);
    Sweep();
    return rows_.size();
  }

 private:
  struct Row {
    void* address = nullptr;
    std::weak_ptr<const MachineCode> code;
  };
  void Sweep() {
    std::erase_if(rows_, [](const auto& row) { return row.second.code.expired(); });
  }

  static constexpr size_t kMinRows = 1024;
  std::mutex mutex_;
  std::unordered_map<std::string, Row> rows_;
  size_t next_sweep_ = kMinRows;
};

}  // namespace

void JoinedCode::Add(std::shared_ptr<const MachineCode> part) {
  if (std::ranges::find(parts_, part) == parts_.end()) parts_.push_back(std::move(part));
}

Status JoinedCode::status() const {
  for (const auto& part : parts_) AXLE_TRY(part->status());
  return {};
}

std::optional<std::string> SharedKeyOf(const KernelTable::Kernel& kernel, const JitTarget& target) {
  if (!kernel.key.is_portable) return std::nullopt;
  std::string rows;
  if (kernel.loop) {
    // To a kernel all rows are alike that are longer than an iteration: four vectors of at most 64
    // elements, or a round of accumulators.
    const i64 longest = std::max(256, kernel.loop->lanes);
    const RowSizes& sizes = kernel.loop->row_sizes;
    rows = StrCat(sizes.are_whole, ",", std::min(sizes.most, longest));
  }
  return StrCat(Name(target.isa), ",", kernel.CodegenLevel(target), ",", target.vector_bytes, ",",
                target.works_around_llvm, ",", rows, ";", kernel.key.text);
}

std::optional<SharedKernel> FindSharedKernel(const std::string& key) {
  return Table::Get().Find(key);
}

void ShareKernel(const std::string& key, void* address,
                 const std::shared_ptr<const MachineCode>& code) {
  Table::Get().Add(key, address, code);
}

size_t NumSharedKernels() {
  return Table::Get().size();
}

}  // namespace axle
