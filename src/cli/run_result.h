// The result of a run, taken apart into what a file or a screen can hold.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/values/tensor.h"
#include "handrail/values/value.h"

#include "cli/json_line.h"

namespace handrail::cli {

// One value of a result that has no others inside.
struct ResultPart {
  std::string path;  // where it is: "", "[0]", "['name'][1]", ".weight"
  values::Value value;
};

// In order: elements of lists and tuples, values of dicts, attributes of objects. kLimit: values
// inside of values, as of one that contains itself.
Result<std::vector<ResultPart>> PartsOf(const values::Value& result);

// A number as a tensor without dimensions; null for what is neither tensor nor number.
values::TensorRef TensorOf(const values::Value& part);

// "float32[2x3] [[1, 2, 3], [4, 5, 6]]", "int 5", "str 'text'". Elements are left out where there
// are many.
std::string Describe(const values::Value& part);

// {"type":"float32","shape":[2,3],"values":[1.0,...]}: the elements in C order, left out where
// there are many; of other values "value".
JsonObject DescribeAsJson(const values::Value& part);

}  // namespace handrail::cli
