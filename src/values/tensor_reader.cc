#include "values/tensor_reader.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "handrail/base/limits.h"

#include "archive/quoted.h"

namespace handrail::values {
namespace {

std::optional<ElementType> ElementTypeOf(std::string_view storage_class) {
#define HANDRAIL_ELEMENT_TYPE(name, code, bytes, text, storage) \
  if (storage_class == storage) return ElementType::name;
#include "handrail/values/element_types.def"
  return std::nullopt;
}

}  // namespace

Result<std::vector<int64_t>> TensorReader::ReadInts(PickleValue value, std::string_view what) {
  HANDRAIL_ASSIGN_OR_RETURN(const auto parts, pickle_.ExpectTuple(value, what));
  if (parts.size() > limits::kTensorDimensionsMax) {
    return Fail(ErrorCode::kLimit,
                fmt::format("{}: need at most {} dimensions, have {}", what,
                            limits::kTensorDimensionsMax, parts.size()),
                pickle_.OffsetOf(value));
  }
  std::vector<int64_t> numbers;
  numbers.reserve(parts.size());
  for (const PickleValue part : parts) {
    HANDRAIL_ASSIGN_OR_RETURN(const int64_t number, pickle_.ExpectInt(part, what));
    if (number < 0) {
      return Fail(ErrorCode::kCorrupt, fmt::format("{}: need 0 or more, have {}", what, number),
                  pickle_.OffsetOf(value));
    }
    numbers.push_back(number);
  }
  return numbers;
}

Result<Storage> TensorReader::OpenStorage(std::span<const PickleValue> parts) {
  if (parts[1].kind() != PickleKind::kGlobal) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("storage: type: need a class, have {}", pickle_.Describe(parts[1])));
  }
  const std::optional<ElementType> type = ElementTypeOf(parts[1].global_name());
  if (!type || parts[1].global_module() != "torch") {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("storage: type: need one of torch's storages, have {}",
                            pickle_.Describe(parts[1])));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const std::string_view key,
                            pickle_.ExpectText(parts[2], "storage: key"));
  HANDRAIL_ASSIGN_OR_RETURN(const std::string_view device,
                            pickle_.ExpectText(parts[3], "storage: device"));
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t count,
                            pickle_.ExpectInt(parts[4], "storage: number of elements"));
  const std::string record_name = std::string(source_.folder) + std::string(key);
  const std::string where = fmt::format("storage {}", Quoted(record_name));
  const ArchiveRecord* record = source_.archive.Find(record_name);
  if (record == nullptr) {
    return Fail(ErrorCode::kNotFound, where + ": need a record of this name, have none");
  }
  if (source_.archive.is_ambiguous(record_name)) {
    return Fail(ErrorCode::kConflict, where + ": need one record of this name, have several");
  }
  if (record->method != 0) {
    return Fail(ErrorCode::kUnsupported,
                where + ": need a stored record, have a compressed one: tensors are used in place");
  }
  const uint64_t size_max = record->size_bytes / SizeBytes(*type);
  if (count < 0 || static_cast<uint64_t>(count) > size_max) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("{}: need {} elements of {}, have {} ({} bytes)", where, count,
                            ToString(*type), size_max, record->size_bytes));
  }
  Result<std::span<const std::byte>> bytes = source_.archive.StoredBytes(*record);
  if (!bytes) return tl::unexpected<Error>(std::move(bytes).error().In(where));
  return Storage{strings_.Intern(key), *type,
                 bytes->first(static_cast<size_t>(count) * SizeBytes(*type)),
                 static_cast<uint64_t>(count), strings_.Intern(device)};
}

Result<StorageId> TensorReader::ReadStorage(PickleValue value) {
  if (value.kind() != PickleKind::kPersistentId) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("storage: need a persistent id, have {}", pickle_.Describe(value)));
  }
  if (const auto known = by_identity_.find(value.identity()); known != by_identity_.end()) {
    return known->second;
  }
  HANDRAIL_ASSIGN_OR_RETURN(const auto parts,
                            pickle_.ExpectTuple(value.persistent_id(), "storage", 5));
  if (!parts[0].is_text() || parts[0].as_text() != "storage") {
    return Fail(ErrorCode::kCorrupt, fmt::format("storage: need the text 'storage', have {}",
                                                 pickle_.Describe(parts[0])));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Storage storage, OpenStorage(parts));
  const auto [row, is_new] =
      by_key_.try_emplace(storage.key, StorageId{static_cast<uint32_t>(storages_.size())});
  if (is_new) {
    storages_.push_back(storage);
  } else {
    const Storage& first = storages_[row->second.index];
    if (first.element_type != storage.element_type ||
        first.element_count != storage.element_count) {
      return Fail(ErrorCode::kConflict,
                  fmt::format("storage '{}{}': need {} elements of {} as before, have {} of {}",
                              source_.folder, strings_.at(storage.key), first.element_count,
                              ToString(first.element_type), storage.element_count,
                              ToString(storage.element_type)));
    }
  }
  by_identity_.emplace(value.identity(), row->second);
  return row->second;
}

Status TensorReader::Check(const ReadTensor& tensor) const {
  const Storage& storage = storages_[tensor.storage.index];
  uint64_t end = tensor.first_element;  // one beyond the last element
  bool is_empty = false;
  bool overflows = false;
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (tensor.sizes[i] == 0) {
      is_empty = true;
      continue;
    }
    uint64_t step = 0;
    overflows |= __builtin_mul_overflow(static_cast<uint64_t>(tensor.sizes[i] - 1),
                                        static_cast<uint64_t>(tensor.strides[i]), &step);
    overflows |= __builtin_add_overflow(end, step, &end);
  }
  overflows |= __builtin_add_overflow(end, uint64_t{1}, &end);
  if (is_empty) return {};
  if (!overflows && end <= storage.element_count) return {};
  return Fail(ErrorCode::kCorrupt,
              fmt::format("storage '{}{}': sizes and strides need {} elements, have {}",
                          source_.folder, strings_.at(storage.key),
                          overflows ? std::string("2^64 or more") : std::to_string(end),
                          storage.element_count));
}

Result<ReadTensor> TensorReader::Read(std::span<const PickleValue> args, size_t grad_row) {
  ReadTensor tensor;
  HANDRAIL_ASSIGN_OR_RETURN(tensor.storage, ReadStorage(args[0]));
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t offset, pickle_.ExpectInt(args[1], "storage offset"));
  if (offset < 0) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("storage offset: need 0 or more, have {}", offset));
  }
  tensor.first_element = static_cast<uint64_t>(offset);
  HANDRAIL_ASSIGN_OR_RETURN(tensor.sizes, ReadInts(args[2], "sizes"));
  HANDRAIL_ASSIGN_OR_RETURN(tensor.strides, ReadInts(args[3], "strides"));
  if (tensor.strides.size() != tensor.sizes.size()) {
    return Fail(ErrorCode::kCorrupt, fmt::format("strides: need {}, one for each size, have {}",
                                                 tensor.sizes.size(), tensor.strides.size()));
  }
  const PickleValue grad = args[grad_row];
  if (grad.kind() != PickleKind::kBool) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("requires_grad: need a bool, have {}", pickle_.Describe(grad)));
  }
  tensor.requires_grad = grad.as_bool();
  HANDRAIL_RETURN_IF_ERROR(Check(tensor));
  return tensor;
}

}  // namespace handrail::values
