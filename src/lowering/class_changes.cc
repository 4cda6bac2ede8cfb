#include "lowering/class_changes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace handrail {
namespace {

constexpr uint32_t kUnchanged = UINT32_MAX;

bool Mentions(const ClassPlace& place, const ClassPlace::Annotation& annotation,
              std::string_view class_name) {
  return !MentionsOf(place.file->text(), annotation.start, annotation.end, class_name).empty();
}

// One way in which a class changes: its attributes, and how each of their classes does.
struct Variant {
  std::string class_name;
  std::vector<std::pair<std::string, uint32_t>> attributes;  // name, variant

  friend auto operator<=>(const Variant&, const Variant&) = default;
};

class Changer {
 public:
  Changer(const ModuleTree& tree, uint32_t replaced, CodeFiles& code, ClassNames& names)
      : tree_(tree), replaced_(replaced), code_(code), names_(names) {}

  Result<ClassChanges> Change(const std::string& new_class) {
    HANDRAIL_ASSIGN_OR_RETURN(const std::vector<uint32_t> order, tree_.PartsFirst());
    variants_.assign(tree_.objects().size(), kUnchanged);
    for (const uint32_t row : order) {
      HANDRAIL_RETURN_IF_ERROR(FindVariant(row));
      if (variants_[row] == kUnchanged) unchanged_.insert(tree_.objects()[row].class_name);
    }
    ClassChanges result;
    std::vector<std::string> variant_names;
    for (const Variant& variant : table_) {
      // The first is the module that is replaced: its class does not change, it gets another.
      if (variant_names.empty()) {
        variant_names.push_back(new_class);
        continue;
      }
      HANDRAIL_ASSIGN_OR_RETURN(const ClassPlace* const place, code_.ClassAt(variant.class_name));
      ClassChange change{
          .place = place, .old_name = variant.class_name, .new_name = {}, .attributes = {}};
      for (const auto& [name, of] : variant.attributes) {
        change.attributes[name] = {table_[of].class_name, variant_names[of]};
      }
      change.new_name = unchanged_.insert(variant.class_name).second
                            ? variant.class_name
                            : names_.Mangled(variant.class_name);
      variant_names.push_back(change.new_name);
      result.changes.push_back(std::move(change));
    }
    for (uint32_t row = 0; row < tree_.objects().size(); ++row) {
      result.class_names.push_back(variants_[row] == kUnchanged ? tree_.objects()[row].class_name
                                                                : variant_names[variants_[row]]);
    }
    return result;
  }

 private:
  Status FindVariant(uint32_t row) {
    const ModuleTree::Object& object = tree_.objects()[row];
    Variant variant{object.class_name, {}};
    if (row != replaced_) {
      for (const ModuleTree::Attribute& attribute : object.attributes) {
        if (variants_[attribute.object] == kUnchanged) continue;
        HANDRAIL_ASSIGN_OR_RETURN(const ClassPlace* const place, code_.ClassAt(object.class_name));
        const ClassPlace::Annotation* const annotation = place->Find(attribute.name);
        if (annotation == nullptr ||
            !Mentions(*place, *annotation, tree_.objects()[attribute.object].class_name)) {
          continue;
        }
        variant.attributes.emplace_back(attribute.name, variants_[attribute.object]);
      }
      if (variant.attributes.empty()) return {};
    }
    // The replaced module comes before all that lead to it, so its variant is row 0.
    const auto [known, is_new] =
        variant_rows_.try_emplace(variant, static_cast<uint32_t>(table_.size()));
    if (is_new) table_.push_back(std::move(variant));
    variants_[row] = known->second;
    return {};
  }

  const ModuleTree& tree_;
  uint32_t replaced_;
  CodeFiles& code_;
  ClassNames& names_;
  std::vector<uint32_t> variants_;  // by object
  std::vector<Variant> table_;
  std::map<Variant, uint32_t> variant_rows_;
  std::set<std::string> unchanged_;  // classes whose names are taken
};

}  // namespace

Result<ClassChanges> ChangeClasses(const ModuleTree& tree, uint32_t replaced,
                                   const std::string& new_class, CodeFiles& code,
                                   ClassNames& names) {
  return Changer(tree, replaced, code, names).Change(new_class);
}

Result<std::vector<TextEdit>> EditsOf(const ClassChange& change) {
  const ClassPlace& place = *change.place;
  const std::string_view text = place.file->text();
  std::vector<TextEdit> edits;
  const auto replace = [&](size_t start, size_t end, const std::string& from,
                           const std::string& to) {
    for (const size_t at : MentionsOf(text, start, end, from)) {
      edits.push_back({at, at + from.size(), to});
    }
  };
  if (change.is_copy()) {
    for (const auto& self : place.selves) {
      replace(self.start, self.end, change.old_name, change.new_name);
    }
  }
  std::map<std::string, std::string> renamed;  // classes of attributes
  for (const auto& [name, attribute] : change.attributes) {
    const ClassPlace::Annotation& annotation = *place.Find(name);
    replace(annotation.start, annotation.end, attribute.old_class, attribute.new_class);
    renamed[attribute.old_class] = attribute.new_class;
  }
  // What bodies mention (of an optional module, for example) must be what all attributes are.
  const auto is_in = [](const std::vector<ClassPlace::Annotation>& places, size_t at) {
    return std::any_of(places.begin(), places.end(), [at](const ClassPlace::Annotation& one) {
      return one.start <= at && at < one.end;
    });
  };
  for (const auto& [old_class, new_class] : renamed) {
    for (const size_t at : MentionsOf(text, place.start, place.end, old_class)) {
      if (is_in(place.annotations, at) || is_in(place.selves, at)) continue;
      const bool all_change = std::all_of(
          place.annotations.begin(), place.annotations.end(),
          [&, &from = old_class, &to = new_class](const ClassPlace::Annotation& annotation) {
            if (!Mentions(place, annotation, from)) return true;
            const auto changed = change.attributes.find(annotation.attribute);
            return changed != change.attributes.end() && changed->second.new_class == to;
          });
      if (!all_change) {
        return Fail(ErrorCode::kUnsupported,
                    fmt::format("lowering a part of type {} needs a type of its own: a method of "
                                "{} mentions it, and another attribute of the same type stays",
                                old_class, change.old_name));
      }
      edits.push_back({at, at + old_class.size(), new_class});
    }
  }
  return edits;
}

}  // namespace handrail
