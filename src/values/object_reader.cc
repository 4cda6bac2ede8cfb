#include "values/object_reader.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "handrail/base/check.h"
#include "handrail/base/limits.h"

namespace handrail::values {
namespace {

constexpr std::string_view kTensorModule = "torch._utils";
constexpr std::string_view kListModule = "torch.jit._pickle";

// Wrappers around one value: restore_type_tag(build_intlist(…)) has two.
constexpr int kWrappersMax = 4;
constexpr size_t kClassNameBytesMax = 4096;

// The type of the lists that a function of kListModule builds; "" if it builds none.
std::string_view ListTypeOf(std::string_view function) {
  if (function == "build_intlist") return "List[int]";
  if (function == "build_doublelist") return "List[float]";
  if (function == "build_boollist") return "List[bool]";
  if (function == "build_tensorlist") return "List[Tensor]";
  return "";
}

// Values without an identity of their own: each mention is a row.
bool IsScalar(PickleKind kind) {
  switch (kind) {
    case PickleKind::kNone:
    case PickleKind::kBool:
    case PickleKind::kInt:
    case PickleKind::kDouble:
      return true;
    default:
      return false;
  }
}

uint64_t PackElements(size_t first, size_t count) {
  return uint64_t{first} << 32 | count;
}

}  // namespace

ObjectReader::ObjectReader(const Pickle& pickle, TensorSource source)
    : pickle_(pickle), tensors_(pickle, source, graph_.strings_, graph_.storages_) {}

tl::unexpected<Error> ObjectReader::Mismatch(PickleValue value, std::string_view what,
                                             std::string_view need) const {
  return Fail(ErrorCode::kCorrupt,
              fmt::format("{}: need {}, have {}", what, need, pickle_.Describe(value)),
              pickle_.OffsetOf(value));
}

Result<ObjectGraph> ObjectReader::Read() && {
  HANDRAIL_ASSIGN_OR_RETURN(graph_.root_, RowOf(pickle_.root()));
  while (!pending_.empty()) {
    const Pending next = pending_.back();
    pending_.pop_back();
    HANDRAIL_RETURN_IF_ERROR(Fill(next));
  }
  return std::move(graph_);
}

StringId ObjectReader::InternOnce(PickleValue text) {
  const auto [row, is_new] = texts_.try_emplace(text.identity());
  if (is_new) row->second = graph_.strings_.Intern(text.as_text());
  return row->second;
}

Result<StringId> ObjectReader::ClassName(PickleValue global) {
  const auto [row, is_new] = texts_.try_emplace(global.identity());
  if (is_new) {
    const size_t size_bytes = global.global_module().size() + global.global_name().size();
    if (size_bytes > kClassNameBytesMax) {
      return Fail(ErrorCode::kLimit, fmt::format("class name: need at most {} bytes, have {}",
                                                 kClassNameBytesMax, size_bytes));
    }
    row->second =
        graph_.strings_.Intern(fmt::format("{}.{}", global.global_module(), global.global_name()));
  }
  return row->second;
}

Result<ObjectReader::Unwrapped> ObjectReader::Unwrap(PickleValue value) {
  Unwrapped result{value, StringId::none()};
  for (int i = 0; result.value.kind() == PickleKind::kObject && !result.value.is_new_object();
       ++i) {
    const PickleValue function = result.value.callable();
    if (function.kind() != PickleKind::kGlobal) break;
    if (i == kWrappersMax) {
      return Mismatch(result.value, "value", "a value inside of fewer type tags");
    }
    if (function.is_global(kListModule, "restore_type_tag")) {
      HANDRAIL_ASSIGN_OR_RETURN(const auto args,
                                pickle_.ExpectTuple(result.value.args(), "restore_type_tag", 2));
      if (!args[1].is_text()) return Mismatch(args[1], "restore_type_tag", "the text of a type");
      if (result.type_text.is_none()) result.type_text = InternOnce(args[1]);
      result.value = args[0];
    } else if (function.is_global(kTensorModule, "_rebuild_parameter")) {
      HANDRAIL_ASSIGN_OR_RETURN(const auto args,
                                pickle_.ExpectTuple(result.value.args(), "_rebuild_parameter", 1));
      result.is_parameter = true;
      result.value = args[0];
    } else if (function.global_module() == kListModule &&
               !ListTypeOf(function.global_name()).empty()) {
      const auto list = result.value.TypedList(function.global_name());
      if (!list) return Mismatch(result.value.args(), function.global_name(), "a list");
      if (result.type_text.is_none()) {
        result.type_text = graph_.strings_.Intern(ListTypeOf(function.global_name()));
      }
      result.value = *list;
    } else {
      break;
    }
  }
  return result;
}

Result<ValueId> ObjectReader::RowOf(PickleValue value) {
  const bool is_scalar = IsScalar(value.kind());
  if (!is_scalar) {
    if (const auto known = rows_.find(value.identity()); known != rows_.end()) {
      return known->second;
    }
  }
  if (graph_.rows_.size() >= limits::kRowsMax) {
    return Fail(ErrorCode::kLimit, fmt::format("values: need at most {}", limits::kRowsMax));
  }
  const ValueId id{static_cast<uint32_t>(graph_.rows_.size())};
  if (is_scalar) {
    ValueRow row;
    HANDRAIL_RETURN_IF_ERROR(ReadScalar(value, row));
    graph_.rows_.push_back(row);
    return id;
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Unwrapped unwrapped, Unwrap(value));
  if (unwrapped.value.identity() != value.identity()) {
    // A wrapper is no value of its own: it shares the row of what it wraps.
    HANDRAIL_ASSIGN_OR_RETURN(const ValueId inner, RowOf(unwrapped.value));
    ValueRow& row = graph_.rows_[inner.index];
    const bool is_typed = row.kind == ValueKind::kList || row.kind == ValueKind::kDict;
    if (is_typed && !unwrapped.type_text.is_none()) row.name = unwrapped.type_text;
    if (unwrapped.is_parameter && row.kind == ValueKind::kTensor) {
      graph_.tensors_[row.bits].is_parameter = true;
    }
    rows_.emplace(value.identity(), inner);
    return inner;
  }
  rows_.emplace(value.identity(), id);
  graph_.rows_.emplace_back();
  if (value.kind() == PickleKind::kText) {
    HANDRAIL_RETURN_IF_ERROR(ReadScalar(value, graph_.rows_.back()));
    return id;
  }
  switch (value.kind()) {
    case PickleKind::kTuple:
      graph_.rows_.back().kind = ValueKind::kTuple;
      break;
    case PickleKind::kList:
      graph_.rows_.back().kind = ValueKind::kList;
      break;
    case PickleKind::kDict:
      graph_.rows_.back().kind = ValueKind::kDict;
      break;
    case PickleKind::kObject:
      HANDRAIL_RETURN_IF_ERROR(ReadObject(value, id));
      return id;
    default:
      return Mismatch(value, "value", "a value that TorchScript has");
  }
  pending_.push_back({value, id});
  return id;
}

Status ObjectReader::ReadScalar(PickleValue value, ValueRow& row) {
  switch (value.kind()) {
    case PickleKind::kNone:
      row.kind = ValueKind::kNone;
      return {};
    case PickleKind::kBool:
      row.kind = ValueKind::kBool;
      row.bits = value.as_bool() ? 1 : 0;
      return {};
    case PickleKind::kInt:
      row.kind = ValueKind::kInt;
      row.bits = static_cast<uint64_t>(value.as_int());
      return {};
    case PickleKind::kDouble:
      row.kind = ValueKind::kFloat;
      row.bits = std::bit_cast<uint64_t>(value.as_double());
      return {};
    case PickleKind::kText:
      row.kind = ValueKind::kString;
      row.name = InternOnce(value);
      return {};
    default:
      return Mismatch(value, "value", "a value that TorchScript has");
  }
}

Status ObjectReader::ReadObject(PickleValue value, ValueId id) {
  const PickleValue callable = value.callable();
  if (callable.kind() != PickleKind::kGlobal) {
    return Mismatch(callable, "object", "a class or function");
  }
  if (value.is_new_object()) {
    HANDRAIL_ASSIGN_OR_RETURN(const StringId name, ClassName(callable));
    ValueRow& row = graph_.rows_[id.index];
    row.kind = ValueKind::kObject;
    row.name = name;
    row.bits = ValueId::none().index;
    pending_.push_back({value, id});
    return {};
  }
  HANDRAIL_ASSIGN_OR_RETURN(const auto args, pickle_.ExpectTuple(value.args(), "arguments"));
  return ReadCall(value, args, id);
}

Status ObjectReader::ReadCall(PickleValue value, std::span<const PickleValue> args, ValueId id) {
  const std::string_view module = value.callable().global_module();
  const std::string_view name = value.callable().global_name();
  ValueRow& row = graph_.rows_[id.index];
  if (module == kTensorModule || module == kListModule) {
    return ReadPytorchCall(value, name, args, id);
  }
  if (module == "collections" && name == "OrderedDict") {
    row.kind = ValueKind::kDict;
    pending_.push_back({value, id});
    return {};
  }
  if (module == "torch" && name == "device") {
    if (args.empty() || !args[0].is_text()) return Mismatch(value.args(), "device", "its name");
    row.kind = ValueKind::kDevice;
    row.name = InternOnce(args[0]);
    return {};
  }
  if (module == "builtins" && name == "complex") {
    if (args.size() != 2 || args[0].kind() != PickleKind::kDouble ||
        args[1].kind() != PickleKind::kDouble) {
      return Mismatch(value.args(), "complex", "two floats");
    }
    row.kind = ValueKind::kComplex;
    row.bits = graph_.complexes_.size();
    graph_.complexes_.emplace_back(args[0].as_double(), args[1].as_double());
    return {};
  }
  if (args.size() == 1 && (module == "__torch__" || module.starts_with("__torch__."))) {
    row.kind = ValueKind::kEnum;
    row.bits = ValueId::none().index;
    HANDRAIL_ASSIGN_OR_RETURN(row.name, ClassName(value.callable()));
    pending_.push_back({value, id});
    return {};
  }
  return Fail(ErrorCode::kUnsupported,
              fmt::format("value: need a value that TorchScript has, have a call of {}",
                          pickle_.Describe(value.callable())),
              pickle_.OffsetOf(value));
}

Status ObjectReader::ReadPytorchCall(PickleValue value, std::string_view function,
                                     std::span<const PickleValue> args, ValueId id) {
  const bool is_quantized = function == "_rebuild_qtensor";
  if (!is_quantized && function != "_rebuild_tensor_v2" && function != "_rebuild_tensor") {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("value: need a dense tensor or a list, have a call of {}",
                            pickle_.Describe(value.callable())),
                pickle_.OffsetOf(value));
  }
  const size_t grad_row = is_quantized ? 5 : 4;
  const auto in_tensor = [&](Error error) {
    return tl::unexpected<Error>(
        std::move(error).In(fmt::format("tensor at {:#x}", pickle_.OffsetOf(value))));
  };
  if (args.size() <= grad_row) {
    return in_tensor(
        Mismatch(value.args(), "arguments", fmt::format("a tuple of {} or more", grad_row + 1))
            .value());
  }
  Result<ReadTensor> read = tensors_.Read(args, grad_row);
  if (!read) return in_tensor(std::move(read).error());
  StoredTensor tensor;
  if (is_quantized) {
    HANDRAIL_ASSIGN_OR_RETURN(const auto parameters,
                              pickle_.ExpectTuple(args[4], "quantization", 3));
    if (Status status = ReadQuantization(parameters, tensor); !status) {
      return in_tensor(std::move(status).error());
    }
  }
  AddTensor(*read, tensor, graph_.rows_[id.index]);
  return {};
}

void ObjectReader::AddTensor(const ReadTensor& read, StoredTensor tensor, ValueRow& row) {
  tensor.storage = read.storage;
  tensor.first_element = read.first_element;
  tensor.requires_grad = read.requires_grad;
  tensor.first_size = static_cast<uint32_t>(graph_.sizes_.size());
  tensor.dimension_count = static_cast<uint32_t>(read.sizes.size());
  graph_.sizes_.insert(graph_.sizes_.end(), read.sizes.begin(), read.sizes.end());
  graph_.sizes_.insert(graph_.sizes_.end(), read.strides.begin(), read.strides.end());
  row.kind = ValueKind::kTensor;
  row.bits = graph_.tensors_.size();
  graph_.tensors_.push_back(tensor);
}

Status ObjectReader::ReadQuantization(std::span<const PickleValue> args, StoredTensor& tensor) {
  if (args[0].is_global("torch", "per_tensor_affine")) {
    if (args[1].kind() != PickleKind::kDouble) return Mismatch(args[1], "scale", "a float");
    tensor.quantization = Quantization::kPerTensor;
    tensor.scale = args[1].as_double();
    HANDRAIL_ASSIGN_OR_RETURN(tensor.zero_point, pickle_.ExpectInt(args[2], "zero point"));
    return {};
  }
  const bool is_per_channel = args[0].is_global("torch", "per_channel_affine") ||
                              args[0].is_global("torch", "per_channel_affine_float_qparams");
  if (!is_per_channel || args.size() < 4) {
    return Mismatch(args[0], "quantization", "per_tensor_affine or per_channel_affine");
  }
  // Both are tensors, and a tensor's row asks for no further tensor but if it is quantized, too.
  for (const size_t row : {size_t{1}, size_t{2}}) {
    const PickleValue part = args[row];
    if (part.kind() != PickleKind::kObject || part.is_new_object() ||
        !part.callable().is_global(kTensorModule, "_rebuild_tensor_v2")) {
      return Mismatch(part, "scales and zero points", "dense tensors");
    }
  }
  tensor.quantization = Quantization::kPerChannel;
  HANDRAIL_ASSIGN_OR_RETURN(tensor.scales, RowOf(args[1]));
  HANDRAIL_ASSIGN_OR_RETURN(tensor.zero_points, RowOf(args[2]));
  HANDRAIL_ASSIGN_OR_RETURN(tensor.axis, pickle_.ExpectInt(args[3], "axis"));
  return {};
}

Status ObjectReader::Fill(const Pending& pending) {
  PickleValue value = pending.value;
  if (value.kind() == PickleKind::kObject) {
    const ValueKind kind = graph_.kind(pending.row);
    if (kind == ValueKind::kObject) {
      const std::optional<PickleValue> state = value.state();
      if (!state) return {};
      HANDRAIL_ASSIGN_OR_RETURN(const ValueId row, RowOf(*state));
      graph_.rows_[pending.row.index].bits = row.index;
      return {};
    }
    if (kind == ValueKind::kEnum) {
      HANDRAIL_ASSIGN_OR_RETURN(const ValueId row, RowOf(value.args().at(0)));
      graph_.rows_[pending.row.index].bits = row.index;
      return {};
    }
    const std::optional<PickleValue> items = value.items();
    if (!items) return {};
    value = *items;
  }
  const std::span<const PickleValue> parts = value.elements();
  const size_t first = graph_.elements_.size();
  if (parts.size() > limits::kRowsMax - first) {
    return Fail(ErrorCode::kLimit, fmt::format("elements: need at most {}", limits::kRowsMax));
  }
  graph_.elements_.resize(first + parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    HANDRAIL_ASSIGN_OR_RETURN(const ValueId row, RowOf(parts[i]));
    graph_.elements_[first + i] = row;
  }
  graph_.rows_[pending.row.index].bits = PackElements(first, parts.size());
  return {};
}

}  // namespace handrail::values
