// Models that are lowered to the backends that come with Handrail, saved, loaded and run.
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/backends/backends.h"
#include "handrail/lowering/lowering.h"
#include "handrail/runtime/load.h"
#include "handrail/torch_debug/torch_debug.h"

#include "values/object_archive_testing.h"

namespace handrail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using values::Value;

constexpr std::string_view kSums = R"(class A(Module):
  __parameters__ = []
  __buffers__ = []
  def forward(self: __torch__.A,
    x: Tensor,
    y: Tensor) -> Tensor:
    return torch.add(x, y)
class B(Module):
  __parameters__ = []
  __buffers__ = []
  A0 : __torch__.A
  def forward(self: __torch__.B,
    x: Tensor,
    y: Tensor) -> Tensor:
    A0 = self.A0
    return torch.add((A0).forward(x, y, ), 2)
class C(Module):
  __parameters__ = []
  __buffers__ = []
  B0 : __torch__.B
  B1 : __torch__.B
  def forward(self: __torch__.C,
    x: Tensor,
    y: Tensor) -> Tensor:
    B0 = self.B0
    B1 = self.B1
    _0 = (B0).forward(x, y, )
    return torch.sub((B1).forward(_0, y, ), 3)
class Odd(Module):
  __parameters__ = []
  __buffers__ = []
  def forward(self: __torch__.Odd,
    x: Tensor,
    y: Tensor) -> Tuple[Tensor, Tensor]:
    z = torch.mul(x, y)
    if bool(torch.gt(torch.sum(z), 0)):
      w = torch.neg(z)
    else:
      w = z
    _0 = (w, torch.add(z, 1))
    return _0
)";

TestModule Sums() {
  const TestModule a{"__torch__.A", {}};
  const TestModule b{"__torch__.B", {{"A0", a}}};
  return {"__torch__.C", {{"B0", b}, {"B1", b}}};
}

Value Filled(std::vector<int64_t> sizes, float number) {
  auto tensor = values::Tensor::Allocate(values::ElementType::kFloat32, sizes);
  for (int64_t i = 0; i < tensor->element_count(); ++i) tensor->mutable_data<float>()[i] = number;
  return Value(std::move(tensor));
}

class LowerAndRunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Tests of one process share the registry.
    static const Status registered = RegisterShippedBackends();
    ASSERT_TRUE(registered);
  }

  static std::string ArchiveOf(const TestModule& top) {
    return ModuleArchiveOf(top, {{"__torch__", std::string(kSums)}});
  }
  static Result<std::string> LowerTo(const std::string& archive,
                                     const std::vector<LowerSelection>& selections) {
    return Lower(BytesOf(archive), "m.pt", selections);
  }

  static runtime::RunResult<Value> Run(const std::string& archive, std::vector<Value> inputs,
                                       TraceStyle style = TraceStyle::kPytorch) {
    Result<runtime::Module> module = runtime::Load(BytesOf(archive), "m.pt", {.style = style});
    EXPECT_TRUE(module) << module.error().message;
    if (!module) return Value();
    EXPECT_THAT(module->warnings(), testing::IsEmpty());
    return module->Run("forward", inputs);
  }
  // The one number that all elements of the result are.
  static float NumberFrom(const std::string& archive) {
    const auto result = Run(archive, {Filled({2, 4}, 1), Filled({2, 4}, 10)});
    EXPECT_TRUE(result) << result.error().ToString();
    return result && result->kind() == Value::Kind::kTensor ? result->tensor().data<float>()[7] : 0;
  }
  static runtime::RunError FailureOf(const std::string& archive,
                                     TraceStyle style = TraceStyle::kPytorch) {
    auto result = Run(archive, {Filled({2, 4}, 1), Filled({13, 9}, 1)}, style);
    EXPECT_FALSE(result);
    return result ? runtime::RunError{} : result.error();
  }
  static std::string HierarchyOf(const runtime::RunError& error) {
    return error.trace.substr(0, error.trace.find('\n'));
  }
  static std::set<std::string> RecordsOf(const std::string& bytes) {
    MemoryBudget budget(bytes.size());
    const Result<Archive> archive = Archive::Open(BytesOf(bytes), "m.pt", budget);
    std::set<std::string> names;
    for (const ArchiveRecord& record : archive->records()) names.emplace(record.name);
    return names;
  }
};

// 1 + 10 + 2 + 10 + 2 - 3
constexpr float kExpected = 22;

TEST_F(LowerAndRunTest, TheWholeModel) {
  const std::string plain = ArchiveOf(Sums());
  EXPECT_EQ(NumberFrom(plain), kExpected);
  for (const char* backend : {"demo", "reference"}) {
    const auto lowered = LowerTo(plain, {{.module_path = "", .backend = backend}});
    ASSERT_TRUE(lowered) << lowered.error().message;
    EXPECT_EQ(NumberFrom(*lowered), kExpected);
    const runtime::RunError error = FailureOf(*lowered);
    EXPECT_EQ(HierarchyOf(error),
              "Module hierarchy:top(C)::<unknown>.__loweredModule__(C)::forward.B0(B)::forward."
              "A0(A)::forward.aten::add");
    EXPECT_THAT(error.trace, HasSubstr(R"(
  File "<string>", line 5, in forward
                typed_inputs: List[Any] = [x, y, ]
                if self.__backend.is_available() :
                  _0, = self.__backend.execute(self.__handles["forward"], typed_inputs)
                        ~~~~~~~~~~~~~~~~~~~~~~ <--- HERE
                  assert isinstance(_0, Tensor)
                  return _0
  File "code/__torch__.py", line 27, in <unknown>
)"));
  }
}

TEST_F(LowerAndRunTest, OneOfTwoModulesOfAClass) {
  const auto lowered = LowerTo(ArchiveOf(Sums()), {{.module_path = "B1.A0", .backend = "demo"}});
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(NumberFrom(*lowered), kExpected);
  // B0 is as it was, and its class, too.
  EXPECT_EQ(HierarchyOf(FailureOf(*lowered)),
            "Module hierarchy:top(C)::<unknown>.B0(B)::forward.A0(A)::forward.aten::add");
  EXPECT_THAT(RecordsOf(*lowered), testing::Contains("code/__torch__/___torch_mangle_0.py"));
}

TEST_F(LowerAndRunTest, SeveralModulesToSeveralBackends) {
  const auto lowered = LowerTo(ArchiveOf(Sums()), {{.module_path = "B0.A0", .backend = "demo"},
                                                   {.module_path = "B1", .backend = "reference"}});
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(NumberFrom(*lowered), kExpected);
  EXPECT_EQ(HierarchyOf(FailureOf(*lowered)),
            "Module hierarchy:top(C)::<unknown>.B0(B)::forward.A0(A)::forward.__loweredModule__(A)"
            "::forward.aten::add");
}

TEST_F(LowerAndRunTest, ALoweredArchiveIsLoweredFurther) {
  const auto once = LowerTo(ArchiveOf(Sums()), {{.module_path = "B1", .backend = "demo"}});
  ASSERT_TRUE(once) << once.error().message;
  const auto twice = LowerTo(*once, {{.module_path = "B0.A0", .backend = "reference"}});
  ASSERT_TRUE(twice) << twice.error().message;
  EXPECT_EQ(NumberFrom(*twice), kExpected);
  EXPECT_EQ(HierarchyOf(FailureOf(*twice)),
            "Module hierarchy:top(C)::<unknown>.B0(B)::forward.A0(A)::forward.__loweredModule__(A)"
            "::forward.aten::add");
  const auto debug = ReadTorchDebugInfo(BytesOf(*twice), "m.pt");
  ASSERT_TRUE(debug);
  EXPECT_THAT(debug->info.units, SizeIs(2));
}

TEST_F(LowerAndRunTest, LoweredModulesContainLoweredOnes) {
  const auto lowered = LowerTo(ArchiveOf(Sums()), {{.module_path = "", .backend = "reference"},
                                                   {.module_path = "B0.A0", .backend = "demo"}});
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(NumberFrom(*lowered), kExpected);
  const runtime::RunError error = FailureOf(*lowered);
  EXPECT_THAT(error.handles, SizeIs(3));
  EXPECT_EQ(HierarchyOf(error),
            "Module hierarchy:top(C)::<unknown>.__loweredModule__(C)::forward.B0(B)::forward."
            "A0(A)::forward.__loweredModule__(A)::forward.aten::add");
}

TEST_F(LowerAndRunTest, AModuleThatIsReachedTwiceIsOneModule) {
  // The same object in both attributes.
  PickleWriter writer;
  const TestModule b{"__torch__.B", {{"A0", {"__torch__.A", {}}}}};
  writer.Global("__torch__", "C");
  writer.BeginTuple(0);
  writer.EndTuple(0);
  writer.NewObject();
  writer.BeginDict();
  writer.Text("B0");
  b.Write(writer);
  const uint32_t memo = writer.Memoize();
  writer.Text("B1");
  writer.Get(memo);
  writer.EndDict();
  writer.Build();
  const std::string archive = ZipOf({{"data.pkl", std::move(writer).Finish()},
                                     {"code/__torch__.py", std::string(kSums)},
                                     {"version", "3\n"}});
  EXPECT_EQ(NumberFrom(archive), kExpected);
  const auto lowered = LowerTo(archive, {{.module_path = "B1", .backend = "demo"}});
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(NumberFrom(*lowered), kExpected);
  EXPECT_THAT(HierarchyOf(FailureOf(*lowered)), HasSubstr("B0(B)::forward.__loweredModule__(B)"));
}

TEST_F(LowerAndRunTest, BranchesAndTuples) {
  const std::string plain = ArchiveOf({"__torch__.Odd", {}});
  const auto lowered = LowerTo(plain, {{.module_path = "", .backend = "reference"}});
  ASSERT_TRUE(lowered) << lowered.error().message;
  for (const float number : {2.0F, -2.0F}) {
    const std::vector<Value> inputs{Filled({2, 3}, number), Filled({2, 3}, 5)};
    const auto expected = Run(plain, inputs);
    const auto result = Run(*lowered, inputs);
    ASSERT_TRUE(expected);
    ASSERT_TRUE(result) << result.error().ToString();
    ASSERT_THAT(result->tuple().elements, SizeIs(2));
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(result->tuple().elements[i].tensor().data<float>()[5],
                expected->tuple().elements[i].tensor().data<float>()[5]);
    }
  }
}

TEST_F(LowerAndRunTest, TheDemoBackendSaysWhatItCannotLower) {
  const auto lowered =
      LowerTo(ArchiveOf({"__torch__.Odd", {}}), {{.module_path = "", .backend = "demo"}});
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(lowered.error().message,
              StartsWith("The node of aten::mul is not supported in this compiler. Source code:   "
                         "File \"code/__torch__.py\", line 35\n"));
  EXPECT_THAT(lowered.error().message,
              HasSubstr("    z = torch.mul(x, y)\n        ~~~~~~~~~ <--- HERE\n"));
}

TEST_F(LowerAndRunTest, TheSameModelGivesTheSameBytes) {
  const std::vector<LowerSelection> selections{{.module_path = "B1", .backend = "demo"}};
  EXPECT_EQ(*LowerTo(ArchiveOf(Sums()), selections), *LowerTo(ArchiveOf(Sums()), selections));
}

TEST_F(LowerAndRunTest, KeepsWhatItDoesNotKnow) {
  const std::string archive = ModuleArchiveOf(
      Sums(), {{"__torch__", std::string(kSums)}, {"__torch__/other", "# other\n"}});
  const auto lowered = LowerTo(archive, {{.module_path = "B1", .backend = "demo"}});
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_THAT(RecordsOf(*lowered), testing::IsSupersetOf(RecordsOf(archive)));
}

TEST_F(LowerAndRunTest, SaysWhatIsWrongWithASelection) {
  const std::string archive = ArchiveOf(Sums());
  const auto error = [&](std::vector<LowerSelection> selections) {
    const auto lowered = LowerTo(archive, selections);
    return lowered ? "" : lowered.error().message;
  };
  EXPECT_EQ(error({{.module_path = "B2", .backend = "demo"}}),
            "module path 'B2': 'B2' is no module in one of type __torch__.C (it has: B0, B1)");
  EXPECT_EQ(error({{.module_path = "B0", .backend = "none"}}),
            "backend 'none' is not registered (registered: demo, reference)");
  EXPECT_EQ(error({{.module_path = "B0", .backend = "demo"},
                   {.module_path = "B0", .backend = "reference"}}),
            "module 'B0' is selected twice");
  EXPECT_EQ(error({{.module_path = "B0", .backend = "demo", .methods = {"run"}}}),
            "__torch__.B has no method 'run'");
  const auto once = LowerTo(archive, {{.module_path = "B0", .backend = "demo"}});
  ASSERT_TRUE(once);
  EXPECT_THAT(
      LowerTo(*once, {{.module_path = "B0.__loweredModule__", .backend = "demo"}}).error().message,
      HasSubstr("it sets its own state (it may be lowered already)"));
}

TEST_F(LowerAndRunTest, DamagedBlobsAreErrors) {
  const std::shared_ptr<const Backend> backends[] = {MakeDemoBackend(), MakeReferenceBackend()};
  for (const auto& backend : backends) {
    auto dict = values::MakeRef<values::Dict>();
    dict->Set(Value("forward"),
              values::MakeTuple({Value("inputs 1\nreturn %3\n"), values::MakeList({})}));
    for (const Value& blob :
         {Value(), Value(dict), values::MakeTuple({Value(dict), values::MakeTuple({})}),
          values::MakeTuple({Value(1), Value(2)})}) {
      const auto methods = backend->Compile(blob, Value());
      ASSERT_FALSE(methods);
      EXPECT_EQ(methods.error().code, ErrorCode::kCorrupt);
    }
    EXPECT_THROW(backend->Execute(Value(1), {}), BackendError);
  }
}

TEST_F(LowerAndRunTest, ABackendTakesOnlyItsOwnMethods) {
  auto dict = values::MakeRef<values::Dict>();
  dict->Set(Value("forward"),
            values::MakeTuple({Value("inputs 1\nreturn %0\n"), values::MakeList({})}));
  const auto methods = MakeDemoBackend()->Compile(Value(dict), Value());
  ASSERT_TRUE(methods) << methods.error().message;
  ASSERT_THAT(*methods, SizeIs(1));
  const std::vector<Value> inputs{Value(7)};
  EXPECT_EQ(MakeDemoBackend()->Execute(methods->front().handle, inputs).front().int_value(), 7);
  EXPECT_THROW(MakeReferenceBackend()->Execute(methods->front().handle, inputs), BackendError);
}

}  // namespace
}  // namespace handrail
