// Recurrent layers, unrolled; each step is a product of matrices and a few element-wise operators.
#include <fmt/format.h>

#include "kernels/compose.h"
#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

struct Weights {
  const Tensor* input;
  const Tensor* hidden;
  const Tensor* input_bias;   // may be null
  const Tensor* hidden_bias;  // may be null
};
struct State {
  TensorRef hidden;
  TensorRef cell;  // of an LSTM alone
};

TensorRef Gate(const Tensor& gates, int64_t index, int64_t width) {
  return Narrowed(gates, 1, index * width, width);
}
// What the gates of all steps take from the input, computed at once or for one step.
TensorRef InputPart(const Tensor& input, const Weights& w) {
  return LinearLayer(input, *w.input, w.input_bias);
}

struct Lstm {
  static State Step(const Tensor& part, const State& state, const Weights& w) {
    const TensorRef gates = Sum(part, *LinearLayer(*state.hidden, *w.hidden, w.hidden_bias));
    const int64_t width = state.hidden->size(1);
    const TensorRef forgotten = Product(*SigmoidOf(*Gate(*gates, 1, width)), *state.cell);
    const TensorRef added =
        Product(*SigmoidOf(*Gate(*gates, 0, width)), *TanhOf(*Gate(*gates, 2, width)));
    TensorRef cell = Sum(*forgotten, *added);
    TensorRef hidden = Product(*SigmoidOf(*Gate(*gates, 3, width)), *TanhOf(*cell));
    return {std::move(hidden), std::move(cell)};
  }
};
struct Gru {
  static State Step(const Tensor& part, const State& state, const Weights& w) {
    const TensorRef own = LinearLayer(*state.hidden, *w.hidden, w.hidden_bias);
    const int64_t width = state.hidden->size(1);
    const TensorRef reset = SigmoidOf(*Sum(*Gate(part, 0, width), *Gate(*own, 0, width)));
    const TensorRef update = SigmoidOf(*Sum(*Gate(part, 1, width), *Gate(*own, 1, width)));
    const TensorRef fresh =
        TanhOf(*Sum(*Gate(part, 2, width), *Product(*reset, *Gate(*own, 2, width))));
    return {Sum(*Product(*Difference(*state.hidden, *fresh), *update), *fresh), {}};
  }
};
template <TensorRef (*Activation)(const Tensor&)>
struct Simple {
  static State Step(const Tensor& part, const State& state, const Weights& w) {
    return {Activation(*Sum(part, *LinearLayer(*state.hidden, *w.hidden, w.hidden_bias))), {}};
  }
};

// One direction of one layer over `input`, whose first dimension is time.
template <typename Cell>
TensorRef RunDirection(const Tensor& input, State& state, const Weights& w, bool is_backward) {
  const TensorRef parts = InputPart(input, w);
  const int64_t steps = input.size(0);
  std::vector<TensorRef> outputs(static_cast<size_t>(steps));
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t step = is_backward ? steps - 1 - i : i;
    state = Cell::Step(*Selected(*parts, 0, step), state, w);
    outputs[static_cast<size_t>(step)] = Unsqueezed(*state.hidden, 0);
  }
  return Joined(outputs, 0);
}

std::vector<TensorRef> Tensors(const List& list) {
  std::vector<TensorRef> result;
  for (const Value& value : list.elements) result.push_back(Share(Unbox<Tensor&>::From(value)));
  return result;
}

struct Layers {
  std::vector<TensorRef> weights;
  bool has_biases;
  int64_t count;
  bool is_bidirectional;
};
struct Ends {
  TensorRef output;
  TensorRef hidden;
  TensorRef cell;
};

template <typename Cell>
Ends RunLayers(const Tensor& sequence, const TensorRef& hidden, const TensorRef& cell,
               const Layers& layers) {
  const int64_t directions = layers.is_bidirectional ? 2 : 1;
  const size_t each = layers.has_biases ? 4 : 2;
  if (layers.count <= 0 || sequence.dimension_count() != 3 || sequence.size(0) == 0 ||
      layers.weights.size() != each * static_cast<size_t>(layers.count * directions) ||
      hidden->dimension_count() != 3 || hidden->size(0) != layers.count * directions ||
      (cell && !std::equal(cell->sizes().begin(), cell->sizes().end(), hidden->sizes().begin(),
                           hidden->sizes().end()))) {
    Raise("recurrent layer: the input, states and weights do not fit each other");
  }
  TensorRef input = Share(sequence);
  std::vector<TensorRef> hiddens;
  std::vector<TensorRef> cells;
  for (int64_t layer = 0; layer < layers.count; ++layer) {
    std::vector<TensorRef> outputs;
    for (int64_t direction = 0; direction < directions; ++direction) {
      const int64_t row = layer * directions + direction;
      const TensorRef* first = layers.weights.data() + static_cast<size_t>(row) * each;
      const Weights w = {first[0].get(), first[1].get(),
                         layers.has_biases ? first[2].get() : nullptr,
                         layers.has_biases ? first[3].get() : nullptr};
      State state = {Selected(*hidden, 0, row), cell ? Selected(*cell, 0, row) : TensorRef()};
      outputs.push_back(RunDirection<Cell>(*input, state, w, direction == 1));
      hiddens.push_back(Unsqueezed(*state.hidden, 0));
      if (cell) cells.push_back(Unsqueezed(*state.cell, 0));
    }
    input = directions == 2 ? Joined(outputs, 2) : outputs[0];
  }
  return {input, Joined(hiddens, 0), cell ? Joined(cells, 0) : TensorRef()};
}

using Three = std::tuple<TensorRef, TensorRef, TensorRef>;
using Two = std::tuple<TensorRef, TensorRef>;

Three LstmOfSequence(const Tensor& input, List& states, List& weights, bool has_biases,
                     int64_t count, double /*dropout*/, bool is_training, bool is_bidirectional,
                     bool is_batch_first) {
  if (is_training) Raise("lstm: there is no kernel for training");
  if (states.elements.size() != 2) Raise("lstm expects two hidden states");
  const std::vector<TensorRef> initial = Tensors(states);
  const TensorRef sequence =
      is_batch_first && input.dimension_count() == 3 ? Transposed(input, 0, 1) : Share(input);
  const Ends ends = RunLayers<Lstm>(*sequence, initial[0], initial[1],
                                    {Tensors(weights), has_biases, count, is_bidirectional});
  return {is_batch_first ? Transposed(*ends.output, 0, 1) : ends.output, ends.hidden, ends.cell};
}
template <typename Cell>
Two SimpleOfSequence(const Tensor& input, const Tensor& hidden, List& weights, bool has_biases,
                     int64_t count, double /*dropout*/, bool is_training, bool is_bidirectional,
                     bool is_batch_first) {
  if (is_training) Raise("recurrent layer: there is no kernel for training");
  const TensorRef sequence =
      is_batch_first && input.dimension_count() == 3 ? Transposed(input, 0, 1) : Share(input);
  const Ends ends = RunLayers<Cell>(*sequence, Share(hidden), {},
                                    {Tensors(weights), has_biases, count, is_bidirectional});
  return {is_batch_first ? Transposed(*ends.output, 0, 1) : ends.output, ends.hidden};
}

void CheckState(const Tensor& input, const Tensor& hidden) {
  if (input.dimension_count() != 2 || hidden.dimension_count() != 2) {
    Raise("recurrent cell: expected an input and a state of two dimensions");
  }
}
Two LstmCell(const Tensor& input, List& states, const Tensor& input_weight,
             const Tensor& hidden_weight, const Tensor* input_bias, const Tensor* hidden_bias) {
  if (states.elements.size() != 2) Raise("lstm_cell expects two hidden states");
  const std::vector<TensorRef> initial = Tensors(states);
  CheckState(input, *initial[0]);
  const Weights w = {&input_weight, &hidden_weight, input_bias, hidden_bias};
  const State state = Lstm::Step(*InputPart(input, w), {initial[0], initial[1]}, w);
  return {state.hidden, state.cell};
}
template <typename Cell>
TensorRef SimpleCell(const Tensor& input, const Tensor& hidden, const Tensor& input_weight,
                     const Tensor& hidden_weight, const Tensor* input_bias,
                     const Tensor* hidden_bias) {
  CheckState(input, hidden);
  const Weights w = {&input_weight, &hidden_weight, input_bias, hidden_bias};
  return Cell::Step(*InputPart(input, w), {Share(hidden), {}}, w).hidden;
}

constexpr KernelRow kRows[] = {
    Row<&LstmOfSequence>("aten::lstm.input"),
    Row<&SimpleOfSequence<Gru>>("aten::gru.input"),
    Row<&SimpleOfSequence<Simple<&TanhOf>>>("aten::rnn_tanh.input"),
    Row<&SimpleOfSequence<Simple<&ReluOf>>>("aten::rnn_relu.input"),
    Row<&LstmCell>("aten::lstm_cell"),
    Row<&SimpleCell<Gru>>("aten::gru_cell"),
    Row<&SimpleCell<Simple<&TanhOf>>>("aten::rnn_tanh_cell"),
    Row<&SimpleCell<Simple<&ReluOf>>>("aten::rnn_relu_cell"),
};

}  // namespace

std::span<const KernelRow> RecurrentKernels() {
  return kRows;
}

}  // namespace handrail::kernels
