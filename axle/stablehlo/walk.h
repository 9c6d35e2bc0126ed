// Going through operations and what is inside of them, without recursion.
#pragma once
#include <vector>

#include "axle/stablehlo/mlir/ir.h"

namespace axle::stablehlo {

// Calls fn(operation) for `top` and everything inside, an operation before what is inside of it.
template <typename Fn>
void Walk(const mlir::Operation& top, Fn fn) {
  std::vector<const mlir::Operation*> open{&top};
  while (!open.empty()) {
    const mlir::Operation* op = open.back();
    open.pop_back();
    fn(*op);
    for (size_t r = op->regions.size(); r > 0; --r) {
      const std::deque<mlir::Block>& blocks = op->regions[r - 1].blocks;
      for (size_t b = blocks.size(); b > 0; --b) {
        for (size_t i = blocks[b - 1].operations.size(); i > 0; --i) {
          open.push_back(blocks[b - 1].operations[i - 1]);
        }
      }
    }
  }
}

}  // namespace axle::stablehlo
