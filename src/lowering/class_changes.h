// Which classes change when one module of a model is replaced by another: the class of each module
// on a way to it, since it says of which class its attribute is.
//
// In:  the modules of an archive, the one that is replaced, and the class of what replaces it.
// Out: for each module, its class afterwards; how the code of these classes differs.
//
// A class whose modules all change in the same way keeps its name. Where they differ, those that
// change get a copy of the class under a mangled name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "handrail/base/result.h"

#include "lowering/class_names.h"
#include "lowering/code_files.h"
#include "lowering/edited_text.h"
#include "lowering/module_tree.h"

namespace handrail {

struct ClassChange {
  struct Attribute {
    std::string old_class;
    std::string new_class;
  };
  const ClassPlace* place = nullptr;
  std::string old_name;
  std::string new_name;                         // equal to old_name: changed where it stands
  std::map<std::string, Attribute> attributes;  // by name

  bool is_copy() const { return old_name != new_name; }
};

struct ClassChanges {
  std::vector<std::string> class_names;  // by object
  std::vector<ClassChange> changes;
};

// Attributes that name an interface stay as they are: any class may stand behind one.
Result<ClassChanges> ChangeClasses(const ModuleTree& tree, uint32_t replaced,
                                   const std::string& new_class, CodeFiles& code,
                                   ClassNames& names);

// How the class's text changes. Fails with kUnsupported where the text mentions a class of which
// only some attributes change.
Result<std::vector<TextEdit>> EditsOf(const ClassChange& change);

}  // namespace handrail
