// Operators on lists, tuples and dicts.
#include <algorithm>

#include <fmt/format.h>

#include "kernels/equality.h"
#include "kernels/families.h"
#include "kernels/python_slice.h"

namespace handrail::kernels {

namespace {

size_t Place(int64_t index, size_t size) {
  const auto count = static_cast<int64_t>(size);
  const int64_t place = index < 0 ? index + count : index;
  if (place < 0 || place >= count) Raise("list index out of range");
  return static_cast<size_t>(place);
}

int64_t Length(List& list) {
  return static_cast<int64_t>(list.elements.size());
}
Value Get(List& list, int64_t index) {
  return list.elements[Place(index, list.elements.size())];
}
Value Append(const Value& list, const Value& element) {
  Unbox<List&>::From(list).elements.push_back(element);
  return list;
}
Value SetItem(const Value& list, int64_t index, const Value& element) {
  List& target = Unbox<List&>::From(list);
  target.elements[Place(index, target.elements.size())] = element;
  return list;
}
void Delete(List& list, int64_t index) {
  if (list.elements.empty()) Raise("pop index out of range");
  const size_t place = Place(index, list.elements.size());
  list.elements.erase(list.elements.begin() + static_cast<std::ptrdiff_t>(place));
}
Value Pop(List& list, int64_t index) {
  if (list.elements.empty()) Raise("pop from empty list");
  const size_t place = Place(index, list.elements.size());
  Value result = std::move(list.elements[place]);
  list.elements.erase(list.elements.begin() + static_cast<std::ptrdiff_t>(place));
  return result;
}
void Insert(List& list, int64_t index, const Value& element) {
  const auto count = static_cast<int64_t>(list.elements.size());
  const int64_t place = std::clamp<int64_t>(index < 0 ? index + count : index, 0, count);
  list.elements.insert(list.elements.begin() + place, element);
}
void Extend(List& list, List& other) {
  const std::vector<Value> added = other.elements;  // may be the same list
  list.elements.insert(list.elements.end(), added.begin(), added.end());
}
Value ExtendInPlace(const Value& list, List& other) {
  Extend(Unbox<List&>::From(list), other);
  return list;
}
void Reverse(List& list) {
  std::reverse(list.elements.begin(), list.elements.end());
}
void Clear(List& list) {
  list.elements.clear();
}
std::vector<Value> Copy(List& list) {
  return list.elements;
}
std::vector<Value> Concatenate(List& a, List& b) {
  std::vector<Value> result = a.elements;
  result.insert(result.end(), b.elements.begin(), b.elements.end());
  return result;
}
std::vector<Value> Repeat(List& list, int64_t count) {
  constexpr size_t kElementsMax = size_t{1} << 32;
  if (count < 0) Raise("vector::reserve");
  std::vector<Value> result;
  for (int64_t i = 0; i < count && !list.elements.empty(); ++i) {
    if (result.size() + list.elements.size() > kElementsMax) Raise("list is too long");
    result.insert(result.end(), list.elements.begin(), list.elements.end());
  }
  return result;
}
std::vector<Value> RepeatRight(int64_t count, List& list) {
  return Repeat(list, count);
}
std::vector<Value> Slice(List& list, std::optional<int64_t> start, std::optional<int64_t> end,
                         int64_t step) {
  std::vector<Value> result;
  const PythonSlice slice(list.elements.size(), start, end, step);
  result.reserve(slice.count());
  for (size_t i = 0; i < slice.count(); ++i) result.push_back(list.elements[slice.Place(i)]);
  return result;
}
bool Contains(List& list, const Value& item) {
  return std::any_of(list.elements.begin(), list.elements.end(),
                     [&](const Value& element) { return IsEqual(element, item); });
}
int64_t Index(List& list, const Value& item) {
  for (size_t i = 0; i < list.elements.size(); ++i) {
    if (IsEqual(list.elements[i], item)) return static_cast<int64_t>(i);
  }
  if (item.kind() == Kind::kString) Raise("'" + item.string() + "' is not in list");
  Raise(fmt::format("'{:g}' is not in list", Unbox<Scalar>::From(item).number));
}
int64_t Count(List& list, const Value& item) {
  return std::count_if(list.elements.begin(), list.elements.end(),
                       [&](const Value& element) { return IsEqual(element, item); });
}
bool ListsEqual(const Value& a, const Value& b) {
  return IsEqual(a, b);
}
bool ListsDiffer(const Value& a, const Value& b) {
  return !IsEqual(a, b);
}
bool IsLess(const Value& a, const Value& b) {
  if (a.kind() == Kind::kString && b.kind() == Kind::kString) return a.string() < b.string();
  const Scalar left = Unbox<Scalar>::From(a);
  const Scalar right = Unbox<Scalar>::From(b);
  if (left.is_float() || right.is_float()) return left.number < right.number;
  return left.integer < right.integer;
}
std::vector<Value> Sorted(List& list) {
  std::vector<Value> result = list.elements;
  std::stable_sort(result.begin(), result.end(), IsLess);
  return result;
}
void Sort(List& list, bool reverse) {
  std::stable_sort(
      list.elements.begin(), list.elements.end(),
      [reverse](const Value& a, const Value& b) { return reverse ? IsLess(b, a) : IsLess(a, b); });
}
bool Any(List& list) {
  return std::any_of(list.elements.begin(), list.elements.end(),
                     [](const Value& element) { return Unbox<Scalar>::From(element).number != 0; });
}
bool All(List& list) {
  return std::all_of(list.elements.begin(), list.elements.end(),
                     [](const Value& element) { return Unbox<Scalar>::From(element).number != 0; });
}
Value Smallest(List& list) {
  if (list.elements.empty()) Raise("min() arg is an empty sequence");
  return *std::min_element(list.elements.begin(), list.elements.end(), IsLess);
}
Value Largest(List& list) {
  if (list.elements.empty()) Raise("max() arg is an empty sequence");
  return *std::max_element(list.elements.begin(), list.elements.end(), IsLess);
}
Value Sum(List& list) {
  int64_t integers = 0;
  double numbers = 0;
  bool is_float = false;
  for (const Value& element : list.elements) {
    const Scalar scalar = Unbox<Scalar>::From(element);
    is_float = is_float || scalar.is_float();
    integers = static_cast<int64_t>(static_cast<uint64_t>(integers) +
                                    static_cast<uint64_t>(scalar.integer));
    numbers += scalar.number;
  }
  return is_float ? Value(numbers) : Value(integers);
}

int64_t DictLength(Dict& dict) {
  return static_cast<int64_t>(dict.entries().size());
}
bool DictContains(Dict& dict, const Value& key) {
  return dict.Find(key) != nullptr;
}
Value DictGet(Dict& dict, const Value& key) {
  const Value* found = dict.Find(key);
  if (found == nullptr) Raise("KeyError: " + Describe(key));
  return *found;
}
Value DictGetOrNone(Dict& dict, const Value& key) {
  const Value* found = dict.Find(key);
  return found ? *found : Value();
}
Value DictGetOrDefault(Dict& dict, const Value& key, const Value& fallback) {
  const Value* found = dict.Find(key);
  return found ? *found : fallback;
}
void DictSet(Dict& dict, const Value& key, const Value& value) {
  dict.Set(key, value);
}
void DictDelete(Dict& dict, const Value& key) {
  if (!dict.Erase(key)) Raise("KeyError: " + Describe(key));
}
Value DictPop(Dict& dict, const Value& key) {
  Value result = DictGet(dict, key);
  dict.Erase(key);
  return result;
}
Value DictPopOrDefault(Dict& dict, const Value& key, const Value& fallback) {
  Value result = DictGetOrDefault(dict, key, fallback);
  dict.Erase(key);
  return result;
}
Value DictSetDefault(Dict& dict, const Value& key, const Value& fallback) {
  const Value* found = dict.Find(key);
  if (found != nullptr) return *found;
  dict.Set(key, fallback);
  return fallback;
}
void DictUpdate(Dict& dict, Dict& other) {
  std::vector<Dict::Entry> added = other.entries();  // may be the same dict
  for (auto& [key, value] : added) dict.Set(key, std::move(value));
}
std::vector<Value> DictKeys(Dict& dict) {
  std::vector<Value> result;
  for (const auto& [key, value] : dict.entries()) result.push_back(key);
  return result;
}
std::vector<Value> DictValues(Dict& dict) {
  std::vector<Value> result;
  for (const auto& [key, value] : dict.entries()) result.push_back(value);
  return result;
}
std::vector<Value> DictItems(Dict& dict) {
  std::vector<Value> result;
  for (const auto& [key, value] : dict.entries()) {
    result.push_back(values::MakeTuple({key, value}));
  }
  return result;
}
void DictClear(Dict& dict) {
  dict.Clear();
}
Value DictCopy(Dict& dict) {
  auto copy = values::MakeRef<Dict>();
  for (const auto& [key, value] : dict.entries()) copy->Set(key, value);
  copy->type_text = dict.type_text;
  return Value(std::move(copy));
}
Value DictOfPairs(List& pairs) {
  auto result = values::MakeRef<Dict>();
  for (const Value& pair : pairs.elements) {
    if (pair.kind() != Kind::kTuple || pair.tuple().elements.size() != 2) {
      RaiseWrongKind(pair, "Tuple[key, value]");
    }
    result->Set(pair.tuple().elements[0], pair.tuple().elements[1]);
  }
  return Value(std::move(result));
}
Value EmptyDict() {
  return Value(values::MakeRef<Dict>());
}

void TupleUnpack(Stack& stack) {
  if (stack.empty()) RaiseStackTooShort();
  const Value tuple = std::move(stack.back());
  if (tuple.kind() != Kind::kTuple) RaiseWrongKind(tuple, "Tuple");
  stack.pop_back();
  for (const Value& element : tuple.tuple().elements) stack.push_back(element);
}
void Keep(Stack& stack) {
  if (stack.empty()) RaiseStackTooShort();
}

#define HANDRAIL_DICT(key)                                                                     \
  Row<&DictContains>("aten::__contains__." key), Row<&DictGet>("aten::__getitem__.Dict_" key), \
      Row<&DictSet>("aten::_set_item." key), Row<&DictGetOrNone>("aten::get." key),            \
      Row<&DictGetOrDefault>("aten::get.default_" key), Row<&DictPop>("aten::pop.Dict_" key),  \
      Row<&DictPopOrDefault>("aten::pop.Dict_default_" key),                                   \
      Row<&DictSetDefault>("aten::setdefault." key), Row<&DictUpdate>("aten::update." key),    \
      Row<&DictDelete>("aten::Delete.Dict_" key), Row<&DictLength>("aten::len.Dict_" key),     \
      Row<&DictKeys>("aten::keys." key), Row<&DictValues>("aten::values." key),                \
      Row<&DictItems>("aten::items." key), Row<&DictClear>("aten::clear." key),                \
      Row<&DictCopy>("aten::copy.Dict_" key), Row<&DictOfPairs>("aten::dict." key)

constexpr KernelRow kRows[] = {
    Row<&Length>("aten::len.t"),
    Row<&Get>("aten::__getitem__.t"),
    Row<&Append>("aten::append.t"),
    Row<&SetItem>("aten::_set_item.t"),
    Row<&Delete>("aten::Delete.t"),
    Row<&Pop>("aten::pop.t"),
    Row<&Insert>("aten::insert.t"),
    Row<&Extend>("aten::extend.t"),
    Row<&ExtendInPlace>("aten::add_.t"),
    Row<&Reverse>("aten::reverse.t"),
    Row<&Clear>("aten::clear.t"),
    Row<&Copy>("aten::copy.t"),
    Row<&Copy>("aten::list.t"),
    Row<&Concatenate>("aten::add.t"),
    Row<&Repeat>("aten::mul.left_t"),
    Row<&RepeatRight>("aten::mul.right_"),
    Row<&Slice>("aten::slice.t"),
    Row<&Contains>("aten::__contains__.int_list"),
    Row<&Contains>("aten::__contains__.str_list"),
    Row<&Contains>("aten::__contains__.float_list"),
    Row<&ListsEqual>("aten::eq.enum"),
    Row<&ListsDiffer>("aten::ne.enum"),
    Row<&ListsEqual>("aten::eq.device"),
    Row<&Index>("aten::index.list_int"),
    Row<&Index>("aten::index.list_str"),
    Row<&Index>("aten::index.list_float"),
    Row<&Index>("aten::index.list_bool"),
    Row<&Count>("aten::count.int"),
    Row<&Count>("aten::count.float"),
    Row<&Count>("aten::count.bool"),
    Row<&ListsEqual>("aten::eq.int_list"),
    Row<&ListsEqual>("aten::eq.float_list"),
    Row<&ListsEqual>("aten::eq.bool_list"),
    Row<&ListsEqual>("aten::eq.str_list"),
    Row<&ListsDiffer>("aten::ne.int_list"),
    Row<&ListsDiffer>("aten::ne.float_list"),
    Row<&ListsDiffer>("aten::ne.bool_list"),
    Row<&ListsDiffer>("aten::ne.str_list"),
    Row<&Sorted>("aten::sorted.int"),
    Row<&Sorted>("aten::sorted.float"),
    Row<&Sorted>("aten::sorted.bool"),
    Row<&Sorted>("aten::sorted.str"),
    Row<&Sort>("aten::sort.int"),
    Row<&Sort>("aten::sort.float"),
    Row<&Sort>("aten::sort.bool"),
    Row<&Sort>("aten::sort.str"),
    Row<&Any>("aten::any.bool"),
    Row<&Any>("aten::any.int"),
    Row<&Any>("aten::any.float"),
    Row<&All>("aten::all.bool"),
    Row<&All>("aten::all.int"),
    Row<&All>("aten::all.float"),
    Row<&Smallest>("prim::min.self_int"),
    Row<&Smallest>("prim::min.self_float"),
    Row<&Largest>("prim::max.self_int"),
    Row<&Largest>("prim::max.self_float"),
    Row<&Sum>("aten::sum.int"),
    Row<&Sum>("aten::sum.float"),
    Row<&Sum>("aten::sum.bool"),
    HANDRAIL_DICT("str"),
    HANDRAIL_DICT("int"),
    HANDRAIL_DICT("bool"),
    HANDRAIL_DICT("float"),
    Row<&EmptyDict>("aten::dict"),
    {"prim::TupleUnpack", &TupleUnpack, 1},
    {"prim::unchecked_cast", &Keep, 1},
};

#undef HANDRAIL_DICT

}  // namespace

std::span<const KernelRow> ContainerKernels() {
  return kRows;
}

}  // namespace handrail::kernels
