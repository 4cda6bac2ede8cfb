// The values of an archive: modules with their attributes, and constants.
//
// In:  read from data.pkl or constants.pkl (values/values.h).   Out: what graphs, lowering and the
// runtime take attributes and weights from.
//
// Flat tables; a value is a row named by a ValueId. Lists, dicts and objects may be reached on many
// ways, and may contain themselves: walk with a loop and a set of rows that were visited.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "handrail/base/id.h"
#include "handrail/base/string_pool.h"
#include "handrail/values/element_type.h"

namespace handrail::values {

using ValueId = Id<struct StoredValueTag>;
using TensorId = Id<struct StoredTensorTag>;
using StorageId = Id<struct StorageTag>;

enum class ValueKind : uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kComplex,
  kString,
  kDevice,  // its name: "cuda:0"
  kTensor,
  kList,
  kTuple,
  kDict,
  kObject,  // of a class or module
  kEnum,    // a member, by its value
};
std::string_view ToString(ValueKind kind);  // "a list"

struct ValueRow {
  ValueKind kind = ValueKind::kNone;
  // kObject, kEnum: the qualified name of the class. kList, kDict: the type as the archive writes
  // it
  // ("Dict[str, int]"), or none where it does not. kString: the text. kDevice: its name.
  StringId name;
  // kBool, kInt: the number. kFloat: its bits. kTensor: TensorId::index. kComplex: row of
  // complexes. kObject, kEnum: ValueId::index of the state or value. Containers: first element <<
  // 32 | count.
  uint64_t bits = 0;
};

// Bytes of a record that tensors share. They are never touched here.
struct Storage {
  StringId key;  // "0": of the record "data/0"
  ElementType element_type;
  std::span<const std::byte> bytes;  // a view into the archive; may be unaligned
  uint64_t element_count;
  StringId device;  // where it lay when it was saved
};

enum class Quantization : uint8_t { kNone, kPerTensor, kPerChannel };

// A view of a storage. Checked: every element lies inside of the storage.
struct StoredTensor {
  StorageId storage;
  uint64_t first_element = 0;  // counted in elements of the storage
  uint32_t first_size = 0;     // of dimension_count sizes, then as many strides, in elements
  uint32_t dimension_count = 0;
  bool requires_grad = false;
  bool is_parameter = false;  // PyTorch rebuilds it by _rebuild_parameter
  Quantization quantization = Quantization::kNone;
  double scale = 1;        // kPerTensor
  int64_t zero_point = 0;  // kPerTensor
  ValueId scales;          // kPerChannel: tensors
  ValueId zero_points;
  int64_t axis = 0;
};

// Views stay valid as long as the graph lives (moved or not) and, for the bytes of storages, the
// archive's bytes. Immutable once read, so any number of threads may read it.
class ObjectGraph {
 public:
  ValueId root() const { return root_; }
  uint32_t size() const { return static_cast<uint32_t>(rows_.size()); }
  std::string_view text(StringId id) const { return strings_.at(id); }

  ValueKind kind(ValueId id) const { return rows_[id.index].kind; }
  const ValueRow& at(ValueId id) const { return rows_[id.index]; }

  // Each must be asked about a value of its own kind.
  bool bool_value(ValueId id) const { return at(id).bits != 0; }
  int64_t int_value(ValueId id) const { return static_cast<int64_t>(at(id).bits); }
  double float_value(ValueId id) const;
  std::complex<double> complex_value(ValueId id) const { return complexes_[at(id).bits]; }
  std::string_view string_value(ValueId id) const { return text(at(id).name); }
  std::string_view device(ValueId id) const { return text(at(id).name); }
  const StoredTensor& tensor(ValueId id) const { return tensors_[at(id).bits]; }
  // kList, kTuple: the elements. kDict: keys and values, alternating; of equal keys the last
  // counts.
  std::span<const ValueId> elements(ValueId id) const {
    const uint64_t bits = at(id).bits;
    return std::span(elements_).subspan(bits >> 32, bits & UINT32_MAX);
  }
  // kList, kDict: the type that the archive writes beside it; "" where it does not.
  std::string_view type_text(ValueId id) const;
  // kObject, kEnum: the class's qualified name ("__torch__.M").
  std::string_view class_name(ValueId id) const { return text(at(id).name); }
  // kObject: a dict of its attributes, or what `__getstate__` gave; none: it has no state.
  // kEnum: the member's value.
  ValueId state(ValueId id) const { return {static_cast<uint32_t>(at(id).bits)}; }
  // The attribute of an object whose state is a dict; none: there is none.
  ValueId FindAttribute(ValueId object, std::string_view name) const;

  std::span<const int64_t> sizes(const StoredTensor& tensor) const {
    return std::span(sizes_).subspan(tensor.first_size, tensor.dimension_count);
  }
  std::span<const int64_t> strides(const StoredTensor& tensor) const {
    return std::span(sizes_).subspan(tensor.first_size + tensor.dimension_count,
                                     tensor.dimension_count);
  }
  ElementType element_type(const StoredTensor& tensor) const {
    return storage(tensor.storage).element_type;
  }
  const Storage& storage(StorageId id) const { return storages_[id.index]; }
  uint32_t storage_count() const { return static_cast<uint32_t>(storages_.size()); }
  uint32_t tensor_count() const { return static_cast<uint32_t>(tensors_.size()); }

 private:
  friend class ObjectReader;

  ValueId root_;
  StringPool strings_;
  std::vector<ValueRow> rows_;
  std::vector<ValueId> elements_;
  std::vector<std::complex<double>> complexes_;
  std::vector<StoredTensor> tensors_;
  std::vector<int64_t> sizes_;
  std::vector<Storage> storages_;
};

}  // namespace handrail::values
