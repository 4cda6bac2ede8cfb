#include "handrail/runtime/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/base/mapped_file.h"

#include "values/object_archive_testing.h"

namespace handrail::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using values::Value;

constexpr std::string_view kHead = "  __parameters__ = []\n  __buffers__ = []\n";

std::string ArchiveOf(const std::string& code, std::string objects = {}) {
  if (objects.empty()) {
    TestModule module;
    module.class_name = "__torch__.M";
    objects = module.Pickled();
  }
  return ZipOf({{"data.pkl", std::move(objects)},
                {"code/__torch__.py", code},
                {"constants.pkl", "\x80\x02)."}});
}

RunResult<Value> RunFile(const std::string& file, std::string_view method) {
  Result<Module> module = Load(BytesOf(file), "m.pt");
  EXPECT_TRUE(module) << module.error().message;
  return module->Run(method, {});
}

// The weights of the module are views of the file.
Result<Module> LoadFile(const std::string& path) {
  HANDRAIL_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  const auto owner = std::make_shared<const MappedFile>(std::move(file));
  return runtime::Load(owner->bytes(), path, {}, owner);
}

Value Matrix(int64_t rows, int64_t columns, float each) {
  const values::TensorRef tensor =
      values::Tensor::Allocate(values::ElementType::kFloat32, std::vector<int64_t>{rows, columns});
  std::fill_n(tensor->mutable_data<float>(), rows * columns, each);
  return Value(tensor);
}

TEST(Load, RunsAModuleArchive) {
  Result<Module> module = LoadFile("test/data/model.pt");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(module->methods(), testing::Contains("forward"));
  EXPECT_THAT(module->warnings(), testing::IsEmpty());
  const RunResult<Value> result = module->Run("forward", std::vector<Value>{Matrix(6, 2, 1)});
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(result->kind(), Value::Kind::kTensor);

  const RunResult<Value> odd = module->Run("forward", std::vector<Value>{Matrix(5, 2, 1)});
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().message,
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton "
            "dimension 0");
  EXPECT_THAT(odd.error().trace,
              HasSubstr("top(Encoder)::forward.second(Block)::forward.aten::add"));
  EXPECT_THAT(odd.error().trace, HasSubstr("File \"encoder.py\", line 45, in forward"));
}

// With debug info errors have traces; without, the token that leads to the same text.
TEST(Load, RunsMobileArchives) {
  const auto failure = [](const std::string& path) {
    Result<Module> module = LoadFile(path);
    EXPECT_TRUE(module) << module.error().message;
    EXPECT_TRUE(module->Run("forward", std::vector<Value>{Matrix(6, 2, 1)}));
    const RunResult<Value> odd = module->Run("forward", std::vector<Value>{Matrix(5, 2, 1)});
    EXPECT_FALSE(odd);
    return odd.error();
  };
  const RunError traced = failure("test/data/model.ptl");
  EXPECT_THAT(traced.handles, ElementsAre(123));
  EXPECT_THAT(traced.trace, HasSubstr("File \"encoder.py\", line 45, in forward"));
  const RunError stripped = failure("test/data/model_stripped.ptl");
  EXPECT_EQ(stripped.handles, traced.handles);
  EXPECT_EQ(stripped.message, traced.message);
  EXPECT_EQ(stripped.trace, "{{{hdh:fe28a097c629afec41a5ddf0203ac968:123}}}");
  const RunError bare = failure("test/data/model_without_debug.ptl");
  EXPECT_EQ(bare.trace, "");
}

const std::string kTwoMethods =
    "class M(Module):\n" + std::string(kHead) +
    "  def forward(self: __torch__.M,\n    x: int) -> int:\n    return torch.add(x, 1)\n"
    "  def fork(self: __torch__.M,\n    x: Tensor) -> Tensor:\n"
    "    f = fork(__torch__.twice, x)\n    return annotate(Tensor, wait(f))\n"
    "def twice(x: Tensor) -> Tensor:\n  return torch.mul(x, 2)\n";

TEST(Load, AMethodThatCannotBeCompiledFailsOnlyWhenItRuns) {
  const std::string file = ArchiveOf(kTwoMethods);
  Result<Module> module = Load(BytesOf(file), "m.pt");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(module->methods(), ElementsAre("forward"));
  EXPECT_THAT(module->warnings(), ElementsAre(HasSubstr("function '__torch__.M.fork'")));
  EXPECT_EQ(module->Run("forward", std::vector<Value>{Value(2)})->int_value(), 3);
  const RunResult<Value> fork = module->Run("fork", std::vector<Value>{Value(2)});
  ASSERT_FALSE(fork);
  EXPECT_EQ(fork.error().message, module->warnings()[0]);
  EXPECT_FALSE(fork.error().is_misuse);
}

// An object of `__torch__.M`, whose state is the int.
std::string WithState(int64_t state) {
  PickleWriter writer;
  writer.Global("__torch__", "M");
  writer.BeginTuple(0);
  writer.EndTuple(0);
  writer.NewObject();
  writer.Int(state);
  writer.Build();
  return std::move(writer).Finish();
}

std::string SetsState(const std::string& body) {
  return "class M(Module):\n" + std::string(kHead) +
         "  doubled : int\n"
         "  def __setstate__(self: __torch__.M,\n    state: int) -> NoneType:\n" +
         body +
         "    return None\n"
         "  def forward(self: __torch__.M) -> int:\n    return self.doubled\n";
}

TEST(Load, SetsTheStateOfObjects) {
  const std::string file =
      ArchiveOf(SetsState("    self.doubled = torch.mul(state, 2)\n"), WithState(21));
  EXPECT_EQ(RunFile(file, "forward")->int_value(), 42);
}

TEST(Load, FailsWhereAStateCannotBeSet) {
  const std::string file =
      ArchiveOf(SetsState("    ops.prim.RaiseException(\"no such state\")\n"), WithState(1));
  const Result<Module> module = Load(BytesOf(file), "m.pt");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(module.error().message, HasSubstr("m.pt: '__torch__.M.__setstate__': no such state"));
  EXPECT_THAT(module.error().message, HasSubstr("in __setstate__"));
}

TEST(Load, RefusesOtherFiles) {
  EXPECT_EQ(Load({}, "m.pt").error().message,
            "m.pt: need a module archive or a mobile archive, have no bytes");
  EXPECT_EQ(Load(BytesOf("text, and no archive"), "m.pt").error().code, ErrorCode::kUnsupported);
  const std::string no_class = ArchiveOf("");
  EXPECT_THAT(Load(BytesOf(no_class), "m.pt").error().message, HasSubstr("__torch__.M"));
}

// What PyTorch generates for a module that was lowered to the backend `name`, with the one method
// `forward` of one tensor.
std::string LoweredCode(const std::string& name) {
  const std::string backend = "__torch__.torch.classes.__backends__." + name;
  const std::string self = "self: __torch__.torch.jit.LoweredModule." + name + ".M";
  return "class M(Module):\n" + std::string(kHead) +
         "  __processed_module : Any\n  __method_compile_spec : Dict[str, Any]\n  __backend : " +
         backend + "\n  __handles : Dict[str, Any]\n  def __create_backend(" + self +
         ") -> NoneType:\n    _0 = " + backend + ".__new__(" + backend +
         ")\n    _1 = (_0).__init__()\n    self.__backend = _0\n    return None\n"
         "  def __setstate__(" +
         self +
         ",\n    state: Tuple[Dict[str, Any], Any, bool]) -> NoneType:\n"
         "    self.__method_compile_spec = (state)[0]\n"
         "    self.__processed_module = (state)[1]\n"
         "    if (state)[2]:\n      _6 = (self).__create_backend()\n    else:\n      pass\n"
         "    if (self.__backend).is_available():\n"
         "      _8 = (self.__backend).compile(self.__processed_module, "
         "self.__method_compile_spec, )\n"
         "      self.__handles = _8\n"
         "    else:\n"
         "      ops.prim.RaiseException(\"Exception: Backend is not available.\")\n"
         "    return None\n"
         "  def forward(" +
         self +
         ",\n    x: Tensor) -> Tensor:\n"
         "    typed_inputs = annotate(List[Any], [x])\n"
         "    if (self.__backend).is_available():\n"
         "      _13 = (self.__backend).execute((self.__handles)[\"forward\"], typed_inputs, )\n"
         "      _14, = _13\n"
         "      _16 = unchecked_cast(Tensor, _14)\n"
         "    else:\n"
         "      ops.prim.RaiseException(\"Exception: Backend is not available.\")\n"
         "      _16 = x\n"
         "    return _16\n";
}

std::string LoweredArchive(const std::string& name) {
  PickleWriter writer;
  writer.Global("__torch__.torch.jit.LoweredModule." + name, "M");
  writer.BeginTuple(0);
  writer.EndTuple(0);
  writer.NewObject();
  writer.BeginTuple(3);
  writer.BeginDict();
  writer.Text("forward");
  writer.Text("");
  writer.EndDict();
  writer.Text("the blob");
  writer.Bool(true);
  writer.EndTuple(3);
  writer.Build();
  return ZipOf({{"data.pkl", std::move(writer).Finish()},
                {"code/__torch__/torch/jit/LoweredModule/" + name + ".py", LoweredCode(name)},
                {"code/__torch__/torch/classes/__backends__.py", ""},
                {"constants.pkl", "\x80\x02)."}});
}

// Gives its inputs back, unless they are of one row.
class Echo final : public Backend {
 public:
  explicit Echo(bool is_available) : is_available_(is_available) {}
  bool IsAvailable() const override { return is_available_; }
  Result<Value> Preprocess(const ModuleToLower&, const Value& spec,
                           const GenerateDebugHandles&) const override {
    return spec;
  }
  Result<std::vector<CompiledMethod>> Compile(const Value& blob, const Value& spec) const override {
    if (blob.kind() != Value::Kind::kString) return Fail(ErrorCode::kCorrupt, "need a text");
    std::vector<CompiledMethod> methods;
    for (const auto& [name, options] : spec.dict().entries()) {
      methods.push_back({name.string(), blob});
    }
    return methods;
  }
  std::vector<Value> Execute(const Value& handle, std::span<const Value> inputs) const override {
    if (inputs[0].tensor().size(0) == 1) throw BackendError(handle.string() + " failed", 3);
    return {inputs.begin(), inputs.end()};
  }

 private:
  bool is_available_;
};

TEST(Backends, RunWhatWasLoweredToThem) {
  BackendRegistry registry;
  ASSERT_TRUE(registry.Register("echo", std::make_shared<Echo>(true)));
  const std::string file = LoweredArchive("echo");
  Result<Module> module = Load(BytesOf(file), "m.pt", {.backends = &registry});
  ASSERT_TRUE(module) << module.error().message;
  EventRecorder recorder(100);
  module->set_recorder(&recorder);
  const Value input = Matrix(2, 3, 5);
  const RunResult<Value> result = module->Run("forward", std::vector<Value>{input});
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_TRUE(result->IsSame(input));
  EXPECT_THAT(recorder.Take(), testing::Contains(testing::Field(&Event::backend, "echo")));

  // The blob's handle first, then that of the call of the backend.
  const RunResult<Value> failed = module->Run("forward", std::vector<Value>{Matrix(1, 3, 5)});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the blob failed");
  ASSERT_EQ(failed.error().handles.size(), 2);
  // The program has no such handle, though it has more than three instructions.
  EXPECT_EQ(failed.error().handles[0], 3);
  EXPECT_THAT(failed.error().trace,
              HasSubstr("<debug handle 3: of a handle space that this map does not have>"));
  EXPECT_THAT(failed.error().trace, HasSubstr("execute("));
}

TEST(Backends, ThatAreNotAvailableFailWhenTheyAreRun) {
  BackendRegistry registry;
  ASSERT_TRUE(registry.Register("echo", std::make_shared<Echo>(false)));
  for (const std::string name : {"echo", "nobody"}) {
    const std::string file = LoweredArchive(name);
    Result<Module> module = Load(BytesOf(file), "m.pt", {.backends = &registry});
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_THAT(module->warnings(), ElementsAre(HasSubstr("Backend is not available.")));
    const RunResult<Value> result = module->Run("forward", std::vector<Value>{Matrix(2, 3, 5)});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "Exception: Backend is not available.");
    EXPECT_THAT(result.error().trace, HasSubstr("in forward"));
  }
}

}  // namespace
}  // namespace handrail::runtime
