#!/usr/bin/env python3
"""Would `axle check --random` notice a broken compiler? Breaks the code generator on purpose, one fault at a time.

    inject_faults.py [--build build/dev] [--modules 10000] [--kernels 100000] [--seed S] [--jobs J] [--only REGEX] [--list]

For each fault: changes one place of the compiler, builds libaxle_codegen.so, checks random modules until one
differs or there are no more, puts the place back. Prints how many modules it took; where what LLVM is wrong about
is left to it, how many random kernels (`axle_random_kernels`). A fault whose text is no
longer in its file is stale and counts as a failure, as does one that is not found, or does not compile. Exits 1
if a smaller part than --least was found. Run it in a clone of its own: it changes files while it runs.
"""
import argparse
import atexit
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOWER = "axle/codegen/llvm/lane_lowering.cc"
ROW_FOLDS = "axle/codegen/llvm/row_folds.cc"
MEMORY = "axle/codegen/llvm/lane_memory.cc"
GROUPS = "axle/codegen/llvm/lane_groups.cc"
HALVES = "axle/codegen/llvm/half_conversions.cc"
EMIT = "axle/codegen/llvm/lane_emitter.cc"
SMALL = "axle/codegen/llvm/small_lowering.cc"
SMALL_VALUES = "axle/codegen/llvm/small_values.cc"
ROWS = "axle/codegen/steps/rows_step.cc"
ACCESS = "axle/codegen/schedule/access.cc"
FOLD = "axle/codegen/steps/fold_step.cc"
PARTIALS = "axle/codegen/steps/fold_partials.h"
LOOP = "axle/codegen/steps/loop_step.cc"
REGIONS = "axle/codegen/schedule/regions.cc"
KERNEL_SPEC = "axle/codegen/spec/kernel_spec.h"
BUFFERS = "axle/codegen/schedule/buffers.cc"
LANES = "axle/ops/lanes/lane_compiler.cc"
QUOTIENTS = "axle/codegen/steps/quotients.cc"
LLVM_WORKAROUNDS = "axle/codegen/llvm/llvm_workarounds.cc"

# what, file, text, instead
FAULTS = [
    ("the last lane of a tail is left out", LOWER,
     "Bodies(index, b_.CreateSub(inner_, at));",
     "Bodies(index, b_.CreateSub(inner_, b_.CreateAdd(at, b_.getInt64(1))));"),
    ("a tail of one position is skipped", LOWER, "b_.CreateCondBr(b_.CreateICmpSLT(position, inner_), rest, behind);",
     "b_.CreateCondBr(b_.CreateICmpSLT(b_.CreateAdd(position, b_.getInt64(1)), inner_), rest, behind);"),
    ("rows of one and a half turns have no tail", LOOP, ".are_whole = row % kWhole == 0 &&",
     ".are_whole = row % (kWhole / 2) == 0 &&"),
    ("a kernel for whole rows and others has no tail", KERNEL_SPEC,
     "{are_whole && other.are_whole, std::max(most, other.most)}",
     "{are_whole || other.are_whole, std::max(most, other.most)}"),
    ("a NaN in the second vector of two is not seen", ROW_FOLDS, "b_.CreateFCmpORD(waiting, x)",
     "b_.CreateFCmpORD(waiting, waiting)"),
    ("a number for each row is that of the first row", LOWER,
     "if (is_of_kind) splats[i]", "if (is_of_kind || input_strides_[op.input()] == InnerStride::kUniform) splats[i]"),
    ("constants that loops read once are dropped", REGIONS,
     "for (const RegionInput& input : region.inputs) is_read[input.value] = true;",
     "for (const RegionInput& input : region.inputs) is_read[input.value] = !input.access.IsUniform();"),
    ("operands of subtract", EMIT, "b_.CreateFSub(in(0), in(1)) : b_.CreateSub(in(0), in(1))",
     "b_.CreateFSub(in(0), in(1)) : b_.CreateSub(in(1), in(0))"),
    ("parts of a complex number are swapped when loaded", MEMORY,
     "lanes.push_back(static_cast<int>(2 * k + part))", "lanes.push_back(static_cast<int>(2 * k + 1 - part))"),
    ("the parts of a complex result are not interleaved", LOWER,
     "interleaved.push_back(static_cast<int>(k + width_));", "interleaved.push_back(static_cast<int>(k));"),
    ("a tail reads whole vectors", MEMORY,
     "b_.CreateMaskedLoad(vector, address, AlignOf(array.type), Mask(array.num_parts), zeros);",
     "b_.CreateAlignedLoad(vector, address, AlignOf(array.type));"),
    ("the last group of a row is left out", GROUPS, "return b_.CreateICmpSLT(Numbers(positions",
     "return b_.CreateICmpSLT(Numbers(Dims(width_, positions[width_ - 1])"),
    ("a lane of a group takes what the third source has", GROUPS, "} else if (is_here) {", "} else if (is_here && s < 2) {"),
    ("f16 is truncated where it is widened", HALVES, "b.CreateTrunc(bits, narrow)",
     "b.CreateAnd(b.CreateTrunc(bits, narrow), 0xfffe)"),
    ("lanes of a masked fold are joined", ROW_FOLDS,
     "joined = b_.CreateSelect(mask(), joined, first);", "joined = b_.CreateSelect(mask(), joined, joined);"),
    ("lanes of a sum are joined with their neighbours first", ROW_FOLDS,
     "for (unsigned half = width_ / 2; half > 0; half /= 2) {\n    std::vector<int> upper;",
     "for (unsigned half = 1; half < width_; half *= 2) {\n    std::vector<int> upper;"),
    ("accumulators are joined with their neighbours", ROW_FOLDS, "lanes[g] = Join(f, lanes[g], lanes[g + half]);",
     "lanes[g] = Join(f, lanes[2 * g], lanes[2 * g + 1]);"),
    ("a gathered tail reads its first element", MEMORY,
     "at = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at, b_.CreateSub(inner_, b_.getInt64(1)))",
     "at = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at, b_.CreateSub(inner_, b_.getInt64(2)))"),
    ("a constant of a float loses its lowest bit", EMIT, "llvm::APFloat(semantics, value)",
     "llvm::APFloat(semantics, value & ~llvm::APInt(width, 1))"),
    ("an index map forgets where it begins", ACCESS,
     "access.offset += OffsetAt((*split)[s], piece.source_begin[s]);",
     "access.offset += s == 0 ? 0 : OffsetAt((*split)[s], piece.source_begin[s]);"),
    ("a reversed dimension of factors keeps its direction", ACCESS,
     "factors.push_back({factor.size, -factor.stride});", "factors.push_back({factor.size, factor.stride});"),
    ("neighbouring dimensions merge that are not one", ACCESS,
     "merged.back().stride == factor.size * factor.stride", "merged.back().stride >= factor.size * factor.stride"),
    ("steps of a slice are 1", ACCESS, "from[0].stride * dim.source_step}", "from[0].stride * (dim.source_step > 1 ? 1 : dim.source_step)}"),
    ("the offset of an operand is in elements", LOOP, "operand.access.offset * operand.element_bytes",
     "operand.access.offset"),
    ("outer dimensions are walked from the wrong end", LOOP,
     "for (size_t d = rank - 2; d-- > 0 && rest > 0; rest /= plan.sizes[d])",
     "for (size_t d = 0; d + 2 < rank && rest > 0; rest /= plan.sizes[d], ++d)"),
    ("chunks of a long sum are joined one after the other", PARTIALS,
     "for (i64 n = count_; n % 2 == 0; n /= 2) JoinLastTwo();", "if (used_ > 1) JoinLastTwo();"),
    ("the last chunk of a long sum is short by one", FOLD,
     "const i64 count = std::min(kSumChunk, plan.shape.reduced - begin);\n    loop.kernel(pointers, count, 1,",
     "const i64 count = std::min(kSumChunk, plan.shape.reduced - begin - 1);\n    loop.kernel(pointers, count, 1,"),
    ("columns of the second block begin at the first", FOLD,
     "const i64 column = tile % blocks * kColumnsPerTile;", "const i64 column = tile % blocks * (kColumnsPerTile - 1);"),
    ("a block is free one step too early", BUFFERS,
     "while (!by_end.empty() && by_end.begin()->first < blocks[b].begin) {",
     "while (!by_end.empty() && by_end.begin()->first <= blocks[b].begin) {"),
    ("a small array that is the second source of a shuffle is read from the first", SMALL_VALUES,
     "blend[k] = static_cast<int>(k + offset);", "blend[k] = static_cast<int>(k + 0 * offset);"),
    ("the last run of a small array is not stored", SMALL_VALUES,
     "ForEachRun(static_cast<i64>(elements.size()), [&](i64 first, i64 size) {\n    const auto k = static_cast<size_t>(first);\n    if (size == 1) return store_one(k);",
     "ForEachRun(static_cast<i64>(elements.size()), [&](i64 first, i64 size) {\n    const auto k = static_cast<size_t>(first);\n    if (size == 1 && k > 0) return;\n    if (size == 1) return store_one(k);"),
    ("a branch of small values by index takes the one before", SMALL,
     "choice->addCase(b_.getInt32(static_cast<std::uint32_t>(i)), branches[i]);",
     "choice->addCase(b_.getInt32(static_cast<std::uint32_t>(i)), branches[i > 0 ? i - 1 : 0]);"),
    ("an index into a small array is not clamped from below", SMALL,
     "number = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, number, b_.getInt64(0));",
     "number = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, number, b_.getInt64(-1));"),
    ("rows of a small sum in lanes lose their last step", SMALL,
     "refs.push_back({first + k < row_size ? &joined : &all, row * width + k});",
     "refs.push_back({first + k + 1 < row_size ? &joined : &all, row * width + k});"),
    ("the last block of rows is short by one", ROWS,
     "const i64 last = std::min(plan.rows, first + plan.rows_per_block);",
     "const i64 last = std::min(plan.rows - (plan.rows > 1 ? 1 : 0), first + plan.rows_per_block);"),
    ("lanes that nothing reads may be anything", SMALL_VALUES, "  FillLanes(sources);\n",
     "  if (lanes < 0) FillLanes(sources);\n"),
]
# The same for code that rounds as it likes, which is checked against bounds.
FAST_FAULTS = [
    ("a product is added instead of subtracted", LANES, "return fused(b, true, lane(a));",
     "return fused(b, false, lane(a));"),
    ("the divisor takes the place of its reciprocal", QUOTIENTS, "lanes[a] * (1.0 / lanes[b])", "lanes[a] * lanes[b]"),
    ("quotients of exchanged operands", QUOTIENTS, ": lanes[a] / lanes[b]);", ": lanes[b] / lanes[a]);"),
    ("what a program rounds between types stays wide", LANES,
     "inst.operand(inst.num_operands() - 1)->shape().type() == type;", "inst.num_operands() > 0;"),
]
# Workarounds for bugs of LLVM (llvm_workarounds.h) that are taken out: most modules do not show these bugs, but random kernels do.
WORKAROUNDS = [
    ("no workaround for narrow_mul_trunc and narrow_mul_lshr", LLVM_WORKAROUNDS,
     "if (is_wide) HideWidth(product);", "if (is_wide && product.isTerminator()) HideWidth(product);"),
    ("no workaround for mulhu_by_one", LLVM_WORKAROUNDS,
     "BarrierOnOperandIfNeeded(*extension, 0);", "if (is_square) BarrierOnOperandIfNeeded(*extension, 0);"),
    ("no workaround for fdiv_zero_by_zero", LLVM_WORKAROUNDS, "return !IsLoaded(*divisor);", "return false;"),
    ("no workaround for sdiv_of_shuffled_lanes", LLVM_WORKAROUNDS,
     "if (MayShuffleDivisors(inst)) return BarrierOnResult(inst);",
     "if (MayShuffleDivisors(inst) && inst.isTerminator()) return BarrierOnResult(inst);"),
    ("no workaround for abds_of_unsigned", LLVM_WORKAROUNDS,
     "lhs.getType()->getScalarSizeInBits() != 64) return false;",
     "lhs.getType()->getScalarSizeInBits() != 640) return false;"),
    ("no workaround for umax_of_truncation", LLVM_WORKAROUNDS,
     "if (MayCompareTruncation(inst)) BarrierOnTruncations(inst);",
     "if (MayCompareTruncation(inst) && inst.isTerminator()) BarrierOnTruncations(inst);"),
    ("no workaround for rotate_by_zero", LLVM_WORKAROUNDS,
     "if (MayRotate(inst, target)) return BarrierOnCount(inst);",
     "if (MayRotate(inst, target) && inst.isTerminator()) return BarrierOnCount(inst);"),
    ("no workaround for bit_test_cannot_select", LLVM_WORKAROUNDS,
     "if (MayTestBit(inst)) return BarrierOnScalarCount(inst);",
     "if (MayTestBit(inst) && inst.isTerminator()) return BarrierOnScalarCount(inst);"),
    ("no workaround for shift_of_partly_constant_vector", LLVM_WORKAROUNDS,
     "if (MixesConstantLanes(inst)) return BarrierOnConstant(inst);",
     "if (MixesConstantLanes(inst) && inst.isTerminator()) return BarrierOnConstant(inst);"),
    ("no workaround for or_of_late_all_ones", LLVM_WORKAROUNDS,
     "if (mixes_lanes && MayAbsorbLanes(inst)) return BarrierOnOneSide(inst);",
     "if (mixes_lanes && inst.isTerminator()) return BarrierOnOneSide(inst);"),
    ("no workaround for select_of_bit_select", LLVM_WORKAROUNDS,
     "if (MayWriteMaskedLanes(inst, target)) return BarrierOnSelected(inst);",
     "if (MayWriteMaskedLanes(inst, target) && inst.isTerminator()) return BarrierOnSelected(inst);"),
    ("no workaround for select_of_shuffled_select", "axle/codegen/llvm/jit.cc",
     '{"disable-peephole", "true"},', '{"disable-peephole", "false"},'),
]


def configure(folder, precompiled):
    """With or without precompiled kernels: a fault may end the program that compiles them, or hide behind them."""
    subprocess.run(["cmake", f"-DAXLE_PRECOMPILED_KERNELS={precompiled}", folder], cwd=ROOT, check=True, capture_output=True)


def build(folder, target):
    done = subprocess.run(["cmake", "--build", folder, "-j2", "--target", target], cwd=ROOT, capture_output=True, text=True)
    return done.returncode == 0, done.stdout[-2000:]


def modules_until_found(args, numerics):
    """The index of the first module that failed, or None."""
    tool = ROOT / args.build / "bin/axle"
    command = [tool, "check", f"--random={args.modules}", "--seed", str(args.seed), "--isa", "all", "--levels", "0,0,0,1,2",
               "--threads", "1,2,7,64", "--numerics", numerics, "--variants", "1", "--jobs", str(args.jobs), "--max-failures", "1", "--json", "--quiet"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if not done.stdout.startswith("{"):  # the probe crashed: found before the first module
        return 0, done.stderr[-200:] or "the compiler does not start"
    failures = json.loads(done.stdout)["failures"]
    return (failures[0]["index"], failures[0]["message"]) if failures else (None, "")


def kernels_until_found(args):
    """The same for random kernels."""
    tool = ROOT / args.build / "bin/axle_random_kernels"
    command = [tool, "--seed", str(args.seed), "--count", str(args.kernels), "--form", "small", "--levels", "1", "2"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace",
                          start_new_session=True) as run:
        for line in run.stdout:
            if match := re.match(r"(different|crashed): .* --first (\d+)", line):
                os.killpg(run.pid, signal.SIGKILL)  # it has a child
                return int(match[2]), match[0]
    return None, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/dev")
    parser.add_argument("--modules", type=int, default=10000)
    parser.add_argument("--kernels", type=int, default=100000, help="random kernels for each workaround that is taken out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=float, default=0.95, help="part of the faults that must be found")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    faults = [(*fault, "strict") for fault in FAULTS] + [(*fault, "fast") for fault in FAST_FAULTS]
    faults += [(*fault, "") for fault in WORKAROUNDS]
    chosen = [fault for fault in faults if re.search(args.only, fault[0])]
    found = stale = 0
    if not args.list:
        configure(args.build, "OFF")
        atexit.register(configure, args.build, "ON")  # also if it is interrupted
    for what, name, text, instead, numerics in chosen:
        path = ROOT / name
        source = path.read_text()
        if source.count(text) != 1:
            print(f"STALE      {what}: not once in {name}", flush=True)
            stale += 1
            continue
        if args.list:
            print(f"{name}: {what}")
            continue
        path.write_text(source.replace(text, instead))
        try:
            ok, output = build(args.build, "axle_codegen" if numerics else "axle_random_kernels")
            if not ok:
                index, message = None, ""
            elif numerics:
                index, message = modules_until_found(args, numerics)
            else:
                index, message = kernels_until_found(args)
        finally:
            path.write_text(source)
        found += ok and index is not None
        verdict = "NO BUILD " if not ok else "NOT FOUND" if index is None else f"{index:9}"
        print(f"{verdict}  {what}  {message[:100] if ok else output}", flush=True)
    if args.list:
        return 1 if stale else 0
    configure(args.build, "ON")
    build(args.build, "axle_codegen")
    build(args.build, "axle_random_kernels")
    print(f"{found} of {len(chosen)} found within {args.modules} modules, or {args.kernels} kernels")
    return 0 if found >= args.least * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
