// mobile_debug.pkl with paths that are none, and of other numbers than the bytecode's operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "torch_debug/record_values_test.h"

namespace handrail {
namespace {

using ::testing::ElementsAre;

Records WithModulePaths(Value paths) {
  SmallModel model;
  model.bytecode[1][1][1][1] = Tuple({Tuple({"aten::add", "Tensor"}), Tuple({"aten::mul", ""})});
  Records records = model.Build();
  records.Erase("callstack_debug_map.pkl");
  records.Erase("mobile_debug_handles.pkl");
  records["mobile_debug.pkl"] =
      Tuple({4, Tuple({"__torch__.M.forward",
                       Tuple({Tuple({"module_debug_info", std::move(paths)})})})})
          .Pickled();
  return records;
}
constexpr std::string_view kPaths = "m.ptl: record 'mobile_debug.pkl': ";

TEST(BadModulePaths, PathOfOtherForm) {
  for (const std::string_view path : {"", "forward", "top(M", "top(M)forward", "top(M).",
                                      "top(M).a(A", "top(M).forward.forward", "top(M).a(A(B)"}) {
    EXPECT_THAT(
        Outcome(Read(WithModulePaths(Tuple({path, "top(M).a(A)"})))),
        ElementsAre("0: none gap5 in '__torch__.M.forward'",
                    "1: 'aten::mul' gap1 in '__torch__.M.forward' < none of 'A' 'a' at gap1",
                    fmt::format("{}function '__torch__.M.forward': operator 0: module path: need "
                                "'top(T).name(T).function' or the like, have '{}'",
                                kPaths, path)));
  }
}

TEST(BadModulePaths, UnknownInstanceOfTheFirstReleases) {
  EXPECT_THAT(
      NodeTexts(Read(WithModulePaths(
          Tuple({"top(M).(UNKNOWN_INSTANCE(UNKNOWN_TYPE)", "top(M).x(UNKNOWN_TYPE).f"})))),
      ElementsAre(
          "0: 'aten::add' gap1 in '__torch__.M.forward' < none of none none at gap1",
          "1: 'aten::mul' gap1 in '__torch__.M.forward' < 'f' of 'UNKNOWN_TYPE' 'x' at gap1"));
}

TEST(BadModulePaths, OtherNumberOfOperators) {
  EXPECT_THAT(Outcome(Read(WithModulePaths(Tuple({"top(M).forward"})))),
              ElementsAre("0: none gap1 in '__torch__.M.forward'",
                          std::string(kPaths) +
                              "function '__torch__.M.forward': need 2 module paths (operators "
                              "in bytecode.pkl), have 1"));
}

TEST(BadModulePaths, DamagedFunctionKeepsItsNumbers) {
  Records records = WithModulePaths(5);
  EXPECT_THAT(
      Outcome(Read(records)),
      ElementsAre("0: none gap5 in '__torch__.M.forward'", "1: none gap5 in '__torch__.M.forward'",
                  std::string(kPaths) + "entry 1: module paths: need a tuple, have the int 5"));
}

}  // namespace
}  // namespace handrail
