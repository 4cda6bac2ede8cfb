// What debug info costs PyTorch's own mobile runtime, as JSON, for `make bench` to set beside ours.
//
//   torch_bench ARCHIVE.ptl [REPEATS]
//
//   load_ms, load_without_debug_ms   _load_for_mobile of the archive, and of the archive without
//   its
//                                    debug records
//   debug_load_ms                    the difference: what debug info adds to the load
//   call_stack_ns, hierarchy_ns      getCallStack and getModuleHierarchy for one handle, on average
//   call_stack_bytes                 the mean length of a call stack's text
//   debug_rss_kb                     what debug info adds to the resident memory after a load
//
// Each time is given as its least and its median over REPEATS (9) runs. Only removing the records
// shows what debug info costs: an archive that was saved without it still has every `.debug_pkl`,
// and PyTorch reads those in each load. Both archives are written anew by PyTorch's own writer,
// aligned and compressed as PyTorch does it, so that nothing else differs, and are loaded in turns.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <caffe2/serialize/inline_container.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <torch/csrc/jit/mobile/function.h>
#include <torch/csrc/jit/mobile/import.h>
#include <torch/csrc/jit/mobile/module.h>
#include <unistd.h>

namespace {

using nlohmann::ordered_json;
using torch::jit::mobile::Module;

constexpr size_t kMaxHandles = 20000;  // that one run asks for
constexpr size_t kDeflateAbove = 200;  // bytes: PyTorch stores shorter records as they are

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool IsDebugRecord(const std::string& name) {
  return EndsWith(name, ".debug_pkl") || name == "callstack_debug_map.pkl" ||
         name == "mobile_debug_handles.pkl";
}

bool IsDeflated(const std::string& name, size_t size) {
  return size > kDeflateAbove && (EndsWith(name, ".py") || EndsWith(name, ".debug_pkl") ||
                                  name == "callstack_debug_map.pkl");
}

void CopyArchive(const std::string& source, const std::string& target, bool with_debug_info) {
  caffe2::serialize::PyTorchStreamReader reader(source);
  caffe2::serialize::PyTorchStreamWriter writer(target);
  for (const std::string& name : reader.getAllRecords()) {
    // The writer adds the version itself.
    if (name == "version" || name == ".data/version") continue;
    if (!with_debug_info && IsDebugRecord(name)) continue;
    const auto [data, size] = reader.getRecord(name);
    writer.writeRecord(name, data.get(), size, IsDeflated(name, size));
  }
  writer.writeEndOfFile();
}

template <typename Work>
double Seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The least and the median, in units of `unit` seconds.
ordered_json Summary(std::vector<double> seconds, double unit) {
  std::sort(seconds.begin(), seconds.end());
  return {{"min", seconds.front() / unit}, {"median", seconds[seconds.size() / 2] / unit}};
}

ordered_json Difference(const ordered_json& with, const ordered_json& without) {
  return {{"min", with["min"].get<double>() - without["min"].get<double>()},
          {"median", with["median"].get<double>() - without["median"].get<double>()}};
}

std::vector<int64_t> SomeHandles(const Module& module) {
  std::vector<int64_t> handles;
  for (const auto& method : module.get_methods()) {
    const auto& code = method.function().get_code();
    handles.insert(handles.end(), code.debug_handles_.begin(), code.debug_handles_.end());
  }
  const size_t step = (handles.size() + kMaxHandles - 1) / kMaxHandles;
  std::vector<int64_t> some;
  for (size_t i = 0; i < handles.size(); i += step) some.push_back(handles[i]);
  return some;
}

int64_t ResidentKilobytes() {
  std::ifstream status("/proc/self/statm");
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  status >> total_pages >> resident_pages;
  return resident_pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// In a process of its own, since a process seldom gives memory back. Call before any other load.
int64_t ResidentGrowthOfLoad(const std::string& path) {
  int ends[2];
  TORCH_CHECK(pipe(ends) == 0, "torch_bench: no pipe");
  const pid_t child = fork();
  TORCH_CHECK(child >= 0, "torch_bench: no process");
  if (child == 0) {
    const int64_t before = ResidentKilobytes();
    const Module module = torch::jit::_load_for_mobile(path);
    const int64_t growth = ResidentKilobytes() - before;
    const bool written = write(ends[1], &growth, sizeof growth) == sizeof growth;
    _exit(written ? 0 : 1);
  }
  int64_t growth = 0;
  TORCH_CHECK(read(ends[0], &growth, sizeof growth) == sizeof growth, "torch_bench: child failed");
  close(ends[0]);
  close(ends[1]);
  waitpid(child, nullptr, 0);
  return growth;
}

template <typename Ask>
ordered_json TimeOfOne(const std::vector<int64_t>& handles, int repeats, const Ask& ask) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const double all = Seconds([&] {
      for (int64_t handle : handles) ask(handle);
    });
    seconds.push_back(all / static_cast<double>(handles.size()));
  }
  return Summary(seconds, 1e-9);
}

ordered_json Measure(const std::string& archive, const std::string& folder, int repeats) {
  const std::string with_path = folder + "/with_debug.ptl";
  const std::string without_path = folder + "/without_debug.ptl";
  CopyArchive(archive, with_path, true);
  CopyArchive(archive, without_path, false);
  const int64_t rss_with = ResidentGrowthOfLoad(with_path);
  const int64_t rss_without = ResidentGrowthOfLoad(without_path);

  std::vector<double> with;
  std::vector<double> without;
  for (int i = 0; i < repeats; ++i) {
    with.push_back(Seconds([&] { torch::jit::_load_for_mobile(with_path); }));
    without.push_back(Seconds([&] { torch::jit::_load_for_mobile(without_path); }));
  }

  const Module module = torch::jit::_load_for_mobile(with_path);
  const std::vector<int64_t> handles = SomeHandles(module);
  TORCH_CHECK(!handles.empty(), "torch_bench: ", archive, " has no debug handles");
  size_t bytes = 0;
  for (int64_t handle : handles) bytes += module.getCallStack(handle).size();

  ordered_json result;
  result["archive"] = archive;
  result["repeats"] = repeats;
  result["load_ms"] = Summary(with, 1e-3);
  result["load_without_debug_ms"] = Summary(without, 1e-3);
  result["debug_load_ms"] = Difference(result["load_ms"], result["load_without_debug_ms"]);
  result["handles_asked"] = handles.size();
  result["call_stack_ns"] =
      TimeOfOne(handles, repeats, [&](int64_t handle) { module.getCallStack(handle); });
  result["call_stack_bytes"] = static_cast<double>(bytes) / static_cast<double>(handles.size());
  result["hierarchy_ns"] =
      TimeOfOne(handles, repeats, [&](int64_t handle) { module.getModuleHierarchy(handle); });
  result["debug_rss_kb"] = rss_with - rss_without;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: torch_bench ARCHIVE.ptl [REPEATS]\n";
    return 2;
  }
  const int repeats = argc == 3 ? std::max(1, std::atoi(argv[2])) : 9;
  char folder[] = "/tmp/torch_bench.XXXXXX";
  if (mkdtemp(folder) == nullptr) {
    std::cerr << "torch_bench: cannot make " << folder << "\n";
    return 3;
  }
  int exit_code = 0;
  try {
    std::cout << Measure(argv[1], folder, repeats).dump(1) << "\n";
  } catch (const c10::Error& error) {
    std::cerr << "torch_bench: " << error.what_without_backtrace() << "\n";
    exit_code = 3;
  }
  for (const char* name : {"/with_debug.ptl", "/without_debug.ptl"}) {
    unlink((std::string(folder) + name).c_str());
  }
  rmdir(folder);
  return exit_code;
}
