// Conway's game of life on a torus, drawn in the terminal. A generation is one run of a
// computation: windows of 3 by 3 cells are summed, and the rules are comparisons of the sums.
//
//   example_game_of_life [--frames N]
#include <axle/axle.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

using namespace axle;  // NOLINT(google-build-using-namespace): an example reads better so

constexpr i64 kRows = 24, kColumns = 64;

// One more row (dimension 0) or column (1) at each end, copied from the other end.
XlaOp WrapAround(XlaOp board, i64 dimension, i64 size) {
  const XlaOp first = SliceInDim(board, 0, 1, 1, dimension);
  const XlaOp last = SliceInDim(board, size - 1, size, 1, dimension);
  return ConcatInDim(board.builder(), {last, board, first}, dimension);
}

// s32[kRows,kColumns] of 0 and 1 -> the next generation.
StatusOr<XlaComputation> BuildStep() {
  XlaBuilder sum("sum");
  const Shape scalar = ShapeUtil::MakeShape(S32, {});
  AXLE_ASSIGN(const XlaComputation add,
              sum.Build(Parameter(&sum, 0, scalar, "x") + Parameter(&sum, 1, scalar, "y")));
  XlaBuilder builder("generation");
  const XlaOp board = Parameter(&builder, 0, ShapeUtil::MakeShape(S32, {kRows, kColumns}), "board");
  const XlaOp wrapped = WrapAround(WrapAround(board, 0, kRows), 1, kColumns);
  const XlaOp zero = ConstantR0<std::int32_t>(&builder, 0);
  const XlaOp around = ReduceWindow(wrapped, zero, add, {3, 3}, {1, 1}, Padding::kValid);
  // A cell and its neighbours: 3 are a birth or a survivor with two, 4 a survivor with three.
  const XlaOp three = ConstantR0<std::int32_t>(&builder, 3);
  const XlaOp four = ConstantR0<std::int32_t>(&builder, 4);
  const XlaOp lives = Or(Eq(around, three), And(Eq(around, four), Gt(board, zero)));
  return builder.Build(ConvertElementType(lives, S32));
}

std::string Draw(const Literal& board) {
  std::string text;
  for (i64 row = 0; row < kRows; ++row) {
    for (i64 column = 0; column < kColumns; ++column) {
      text += board.Get<std::int32_t>(Dims{row, column}) != 0 ? '#' : '.';
    }
    text += '\n';
  }
  return text;
}

Status Run(int frames) {
  AXLE_ASSIGN(const XlaComputation computation, BuildStep());
  AXLE_ASSIGN(const auto client, Client::Create());
  AXLE_ASSIGN(const auto step, client->Compile(computation));

  Literal board(ShapeUtil::MakeShape(S32, {kRows, kColumns}));
  constexpr i64 kPentomino[][2] = {{10, 31}, {10, 32}, {11, 30}, {11, 31}, {12, 31}};
  for (const auto& cell : kPentomino) board.Set<std::int32_t>(Dims{cell[0], cell[1]}, 1);

  const bool terminal = isatty(STDOUT_FILENO) != 0;
  if (terminal) std::printf("\033[2J");  // clears it
  for (int frame = 1; frame <= frames; ++frame) {
    AXLE_ASSIGN(board, step->Execute({board}));
    if (!terminal) continue;
    std::printf("\033[H%s", Draw(board).c_str());  // from the upper left corner
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (!terminal) std::printf("%s", Draw(board).c_str());
  const auto cells = board.data<std::int32_t>();
  std::printf("generation %d: %lld cells are alive\n", frames,
              static_cast<long long>(std::count(cells.begin(), cells.end(), 1)));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  int frames = 200;
  if (argc == 3 && std::strcmp(argv[1], "--frames") == 0) {
    frames = std::max(0, std::atoi(argv[2]));
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: example_game_of_life [--frames N]\n");
    return 2;
  }
  const axle::Status status = Run(frames);
  if (!status.ok()) std::fprintf(stderr, "game_of_life: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
