// Session: one verb on its way: the options, the limits, the files, and where text goes. stdout is
// data, stderr is people; in a batch both are collected instead.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "axle/client/client.h"
#include "tools/axle/options.h"

namespace axle::tool {

enum ExitCode : int {
  kYes = 0,
  kNo = 1,           // the answer is no: a mismatch
  kUsage = 2,        // the command line is wrong
  kInvalid = 3,      // the program or an input is
  kLimit = 4,        // a resource limit, or interrupted
  kUnsupported = 5,  // not implemented (yet), or not on this machine
  kBug = 70,
};

class Session {
 public:
  // `collected`: everything for people goes there, in a batch, and to `data` what would go to
  // stdout. Both or none. Starts the clock of --time-limit.
  explicit Session(Options options, std::string* collected = nullptr, std::string* data = nullptr);
  ~Session();

  const Options& options() const { return options_; }
  Limits& limits() { return limits_; }
  double seconds() const;  // since the session began
  bool is_batch() const { return collected_ != nullptr; }

  // What is going on, for messages of limits: "the compilation of", "main".
  void Begin(std::string_view what, std::string_view name);
  // The same for a run, of --repeat, after so many.
  void BeginRun(std::string_view name, int done);
  // Who waits for an answer within the time limit gets none after it.
  int InTime(int code);
  // The text of a verb: to --output, or stdout without one and for "-". The exit code.
  int Write(std::string_view text);
  // Calls `work` with limits of its own: the memory and the interrupts of the session, no time,
  // which does not count for the session either; with a progress bar if there is one.
  Status WithoutClock(std::string_view what, const std::function<Status(Limits&)>& work);
  // The exit code for memory that was refused where nobody could say more.
  int FailWithoutMemory();
  void Out(std::string_view data);
  void Say(std::string_view line);        // to people, with a line feed; nothing if --quiet
  void SayAlways(std::string_view line);  // the same whatever the options
  int Fail(const Status& status);         // says why; the exit code
  ExitCode ExitCodeOf(const Status& status) const;
  int Usage(std::string_view what);  // the same of a wrong command line; the exit code
  // Whether what --output, or stdout without it, names is a terminal.
  bool WritesToTerminal() const;

  // The modules that the command line names: for a folder, the HLO texts in it and below it.
  StatusOr<std::vector<std::string>> Modules() const;
  // The only file of the command line, or a usage error.
  StatusOr<std::string> OneFile() const;
  // "-" is stdin, but not in a batch.
  StatusOr<std::string> Read(const std::string& path);
  StatusOr<LoadedProgram> LoadWithValues(const std::string& path);
  StatusOr<std::unique_ptr<Module>> Load(const std::string& path);
  // For verbs that compute with constants: an error if the program was printed without large ones,
  // unless --allow-elided.
  Status CheckNothingIsElided(const Module& module) const;
  // For verbs that only describe: the same as a note.
  void NoteWhatIsElided(const Module& module);
  // How many devices run the program, by itself or by --replicas and --partitions.
  StatusOr<i64> NumDevices(const Module& module) const;
  // For as many devices, of a client that has no others.
  StatusOr<std::shared_ptr<Executable>> Compile(std::shared_ptr<const Module> module,
                                                EngineKind engine);
  // Native code with these options, and the instruction set, level and limits of the session.
  StatusOr<std::shared_ptr<Executable>> CompileNative(std::shared_ptr<const Module> module,
                                                      CompileOptions options);

 private:
  StatusOr<std::string> ReadStdin(i64 max_bytes);
  StatusOr<Client*> ClientOf(i64 num_devices);

  Options options_;
  std::unique_ptr<Client> job_client_;  // of --distributed; its end tells the other processes
  std::string* collected_;
  std::string* data_;
  Limits limits_;
  const LimitedCall call_;  // all that the verb does is one call
  std::string compiled_;  // the bytes of the program that was loaded last, if it is a compiled one
  bool is_loaded_ = false;  // a program; before that, whatever fails is wrong with it
  std::chrono::steady_clock::time_point begin_;
};

// Whether an error that speaks of memory may be one of --mem-limit, which does not change what the
// machine has (CheckStorage).
bool MayBeOfMemoryLimit(std::string_view message);

// SIGINT and SIGTERM cancel the session that is under way; a second one ends the process, and so do
// two seconds, if what is under way does not see that it is cancelled. SIGPIPE and SIGXFSZ become
// writes that fail.
void InstallSignalHandlers();
bool Interrupted();
// For verbs that give what they have when they are interrupted, however long that takes.
void KeepWhatThereIsWhenInterrupted();
// Memory beyond --mem-limit is refused by the system as well.
void LimitProcessMemory(std::int64_t bytes);
// Writes out what Out has buffered; kYes, or what went wrong.
ExitCode FlushOutput();
// Ends the process when all is done and written, without what libraries would tidy up at its end.
[[noreturn]] void EndProcess(int code);

}  // namespace axle::tool
