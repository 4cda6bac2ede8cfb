#include "test/lowered_models/random_model.h"

#include <map>
#include <random>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "values/object_archive_testing.h"

namespace handrail::testing {
namespace {

constexpr int kModuleDepthMax = 4;
constexpr int kBlockDepthMax = 2;
constexpr int kLoopDepthMax = 2;   // on the way from the top, through all calls
constexpr int kStatementsMax = 3;  // of one block
constexpr int kStatementBudget = 40;

// A place on the way to the failure: a call, or at the end the addition.
struct Place {
  size_t class_index;
  size_t method;
  size_t line;  // of the method, from 0
  size_t column;
  std::string text;
  std::string entered_by;  // "a1(M1)": how the function around it was called
};

struct Method {
  std::string name;
  std::vector<std::string> lines;
};

struct ClassMade {
  std::string name;
  std::vector<std::pair<std::string, size_t>> children;  // attribute, class
  std::vector<Method> methods;
  bool is_plain = true;  // of calls and additions only, its children too

  size_t head_line_count() const { return 4 + children.size(); }
};

// Where statements are put.
struct Block {
  size_t class_index;
  size_t method;
  int module_depth;
  int block_depth;
  int loop_depth;

  std::string indent() const { return std::string(4 + 2 * static_cast<size_t>(block_depth), ' '); }
};

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  RandomModel Make() {
    MakeClass(0, 0, /*fails=*/true, "top");
    RandomModel model;
    model.archive = ModuleArchiveOf(Objects(0), {{"__torch__", Code()}});
    ChoosePieces(0, "", model.pieces);
    model.hierarchy = "top(M0)";
    for (const Place& place : path_) {
      const std::string& function = classes_[place.class_index].methods[place.method].name;
      if (&place != &path_.front()) model.hierarchy += "." + place.entered_by;
      model.hierarchy += "::" + function;
      model.frames.push_back(
          {function, LineOf(place), static_cast<uint32_t>(place.column + 1), place.text});
    }
    model.hierarchy += ".aten::add";
    return model;
  }

 private:
  int Roll(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  bool OneIn(int count) { return Roll(count) == 0; }

  size_t MakeClass(int module_depth, int loop_depth, bool fails, const std::string& attribute) {
    const size_t index = classes_.size();
    classes_.push_back({fmt::format("M{}", index), {}, {}});
    MakeMethod(index, "forward", module_depth, loop_depth, fails,
               fmt::format("{}(M{})", attribute, index));
    return index;
  }

  void MakeMethod(size_t class_index, std::string name, int module_depth, int loop_depth,
                  bool fails, std::string entered_by) {
    const size_t method = classes_[class_index].methods.size();
    classes_[class_index].methods.push_back(
        {name,
         {fmt::format("  def {}(self: __torch__.M{}, x: Tensor, bad: Tensor, n: int) -> "
                      "Tensor:",
                      name, class_index)}});
    const std::string outer = std::exchange(entered_by_, std::move(entered_by));
    const Block block{class_index, method, module_depth, 0, loop_depth};
    Fill(block, fails);
    Add(block, "return x");
    entered_by_ = outer;
  }

  void Fill(const Block& block, bool fails) {
    const int count = 1 + Roll(kStatementsMax);
    const int failing = fails ? Roll(count) : -1;
    for (int i = 0; i < count; ++i) {
      if (i == failing) {
        AddFailing(block);
      } else {
        AddHarmless(block);
      }
    }
  }

  bool MayGrow() { return --budget_ > 0; }

  void AddHarmless(const Block& block) {
    const int kind = MayGrow() ? Roll(8) : 7;
    if (kind == 0) return AddCall(block, false);
    if (kind == 1) return AddIf(block, false);
    if (kind == 2) return AddLoop(block, false);
    Add(block, OneIn(2) ? "x = torch.add(x, x)" : "x = torch.sub(x, x)");
  }

  void AddFailing(const Block& block) {
    const int kind = MayGrow() ? Roll(8) : 7;
    if (kind < 4) return AddCall(block, true);
    if (kind == 4) return AddIf(block, true);
    if (kind == 5) return AddLoop(block, true);
    AddPlace(block, "torch.add", "(x, bad)");
  }

  // Every call has a function of its own, so that only one way leads to the failure.
  void AddCall(const Block& block, bool fails) {
    if (block.module_depth == kModuleDepthMax) return AddPlaceOrSum(block, fails);
    const int depth = block.module_depth + 1;
    if (OneIn(3)) {
      const std::string name = fmt::format("step{}", helper_count_++);
      AddCallOf(block, "self." + name, fails);
      MakeMethod(block.class_index, name, depth, block.loop_depth, fails,
                 fmt::format("SELF(M{})", block.class_index));
      return;
    }
    const std::string attribute = fmt::format("a{}", child_count_++);
    AddCallOf(block, fmt::format("self.{}.forward", attribute), fails);
    const size_t child = MakeClass(depth, block.loop_depth, fails, attribute);
    ClassMade& made = classes_[block.class_index];
    made.children.emplace_back(attribute, child);
    made.is_plain &= classes_[child].is_plain;
  }

  void AddPlaceOrSum(const Block& block, bool fails) {
    if (fails) return AddPlace(block, "torch.add", "(x, bad)");
    Add(block, "x = torch.add(x, x)");
  }

  void AddCallOf(const Block& block, const std::string& callee, bool fails) {
    if (fails) return AddPlace(block, callee, "(x, bad, n)");
    Add(block, fmt::format("x = {}(x, bad, n)", callee));
  }

  void AddIf(const Block& block, bool fails) {
    if (block.block_depth == kBlockDepthMax) return AddPlaceOrSum(block, fails);
    classes_[block.class_index].is_plain = false;
    const bool is_then = OneIn(2);
    Block inner = block;
    ++inner.block_depth;
    Add(block, is_then ? "if n > 0:" : "if n > 1:");
    Fill(inner, fails && is_then);
    Add(block, "else:");
    Fill(inner, fails && !is_then);
  }

  void AddLoop(const Block& block, bool fails) {
    if (block.block_depth == kBlockDepthMax || block.loop_depth == kLoopDepthMax) {
      return AddPlaceOrSum(block, fails);
    }
    classes_[block.class_index].is_plain = false;
    Block inner = block;
    ++inner.block_depth;
    ++inner.loop_depth;
    Add(block, fmt::format("for i{} in range(2):", block.block_depth));
    Fill(inner, fails);
  }

  void Add(const Block& block, const std::string& statement) {
    classes_[block.class_index].methods[block.method].lines.push_back(block.indent() + statement);
  }

  void AddPlace(const Block& block, const std::string& callee, std::string_view arguments) {
    const std::string assigned = "x = ";
    path_.push_back({block.class_index, block.method,
                     classes_[block.class_index].methods[block.method].lines.size(),
                     block.indent().size() + assigned.size(), callee, entered_by_});
    Add(block, assigned + callee + std::string(arguments));
  }

  TestModule Objects(size_t class_index) const {
    TestModule module{"__torch__." + classes_[class_index].name, {}};
    for (const auto& [attribute, child] : classes_[class_index].children) {
      module.submodules.emplace_back(attribute, Objects(child));
    }
    return module;
  }

  // The last class comes first: classes stand after those that they name.
  std::string Code() {
    std::string code;
    uint32_t line = 1;
    for (size_t i = classes_.size(); i-- > 0;) {
      const ClassMade& made = classes_[i];
      first_lines_[i] = line;
      code +=
          fmt::format("class {}(Module):\n  __parameters__ = []\n  __buffers__ = []\n", made.name);
      code += "  __annotations__ = []\n";
      for (const auto& [attribute, child] : made.children) {
        code += fmt::format("  {} : __torch__.{}\n", attribute, classes_[child].name);
      }
      line += static_cast<uint32_t>(made.head_line_count());
      for (const Method& method : made.methods) {
        for (const std::string& text : method.lines) code += text + "\n";
        line += static_cast<uint32_t>(method.lines.size());
      }
    }
    return code;
  }

  uint32_t LineOf(const Place& place) const {
    const ClassMade& made = classes_[place.class_index];
    size_t line = first_lines_.at(place.class_index) + made.head_line_count() + place.line;
    for (size_t i = 0; i < place.method; ++i) line += made.methods[i].lines.size();
    return static_cast<uint32_t>(line);
  }

  void ChoosePieces(size_t class_index, const std::string& path, std::vector<Piece>& pieces) {
    const ClassMade& made = classes_[class_index];
    if (OneIn(3)) {
      pieces.push_back({path, made.is_plain && OneIn(2) ? "demo" : "reference"});
      return;
    }
    for (const auto& [attribute, child] : made.children) {
      ChoosePieces(child, path.empty() ? attribute : path + "." + attribute, pieces);
    }
  }

  std::mt19937_64 random_;
  int budget_ = kStatementBudget;
  int helper_count_ = 0;
  int child_count_ = 0;
  std::vector<ClassMade> classes_;
  std::vector<Place> path_;
  std::string entered_by_;
  std::map<size_t, uint32_t> first_lines_;
};

}  // namespace

RandomModel MakeRandomModel(uint64_t seed) {
  return Maker(seed).Make();
}

}  // namespace handrail::testing
