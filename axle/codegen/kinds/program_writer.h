// Writing down a program: its constants, and one record after the other.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "axle/codegen/schedule/buffers.h"
#include "axle/runtime/program.h"

namespace axle {

class ProgramWriter {
 public:
  explicit ProgramWriter(std::string name) { program_->name = std::move(name); }

  // RESOURCE_EXHAUSTED without memory.
  Status SetConstants(const Schedule& schedule, const BufferPlan& plan);

  // Valid until the next one is added.
  Record& AddRecord(std::span<const Place> places, std::string name);
  template <typename Plan>
  void SetKernel(Record& record, KernelFunction function, std::shared_ptr<Plan> plan) {
    record.function = function;
    record.plan = plan.get();
    Own(std::move(plan));
  }
  // A record of its own, if there is anything to copy.
  void AddCopy(const Place& from, const Place& to, i64 bytes);
  // Keeps memory alive that plans point at.
  void Own(std::shared_ptr<const void> memory) { program_->owned.push_back(std::move(memory)); }

  size_t num_records() const { return program_->records.size(); }
  std::span<const Place> PlacesOf(const Record& record) const {
    return std::span(program_->places).subspan(record.first_place, record.num_places);
  }

  // The frame has so many bytes behind the pointers of the places, and offsets count from there.
  std::shared_ptr<const Program> Finish(i64 num_blocks, i64 frame_bytes) &&;

 private:
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
};

}  // namespace axle
