// What a function, method or operator takes and gives.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "handrail/base/id.h"
#include "handrail/graph/constant.h"
#include "handrail/graph/symbol.h"
#include "handrail/graph/type.h"

namespace handrail::graph {

using SchemaId = Id<struct SchemaTag>;

struct Argument {
  StringId name;  // none: a result without a name
  TypeId type;
  ConstantId default_value = {};  // none: there is none
  bool is_keyword_only = false;   // after `*`
  // `int[2] stride`: one int may stand for a list of two. 0: not so.
  uint32_t list_size = 0;
  // The alias set: "a" of `Tensor(a!)`, "c -> *" of `t(c -> *)`; none: a value of its own.
  StringId alias = {};
  bool is_written = false;  // `!`: the call changes the value

  bool has_default() const { return !default_value.is_none(); }
};

struct Schema {
  Symbol name;        // "aten::add"; of a function, its qualified name
  StringId overload;  // "Tensor"; the pool's "" where there is none
  std::vector<Argument> arguments;
  std::vector<Argument> results;
  bool takes_more = false;  // `...` after the arguments: any number of any type
  bool gives_more = false;  // `...` after the results

  bool is_mutable() const;  // an argument is written to
  // The position of an argument, or nothing.
  std::optional<uint32_t> Find(StringId argument_name) const;
};

}  // namespace handrail::graph
