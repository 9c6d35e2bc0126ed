// What people and their shells see of the command line: completion, manual pages, the progress
// line of a terminal, suggestions for typing errors.
#include <poll.h>
#include <pty.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <regex>
#include <set>

#include "axle/core/strings.h"
#include "tests/tools/cli.h"

namespace axle {
namespace {

constexpr const char* kVerbs[] = {
    "run", "parse",  "print", "info",       "check", "convert", "opt",    "explain", "ops",
    "gen", "reduce", "batch", "completion", "man",   "compile", "launch", "simulate"};

class CliShell : public Cli {
 protected:
  // What bash offers for this line, whose last word is the one under the cursor.
  std::vector<std::string> Complete(const std::vector<std::string>& words) const {
    std::string line;
    for (const std::string& word : words) line += " '" + word + "'";
    const std::string script = "source " + Path("completion.bash") + "; COMP_WORDS=(" + line +
                               "); COMP_CWORD=" + std::to_string(words.size() - 1) +
                               "; _axle; printf '%s\\n' \"${COMPREPLY[@]}\"";
    Write("complete.sh", script);
    const std::string command = "bash --norc " + Path("complete.sh") + " > " + Path("offers");
    EXPECT_EQ(std::system(command.c_str()), 0) << line;
    std::vector<std::string> offers;
    std::istringstream lines(ReadText(Path("offers")));
    for (std::string offer; std::getline(lines, offer);) {
      if (!offer.empty()) offers.push_back(offer);
    }
    return offers;
  }

  // The stderr of a run on a terminal until it matches, or for ten seconds.
  std::string OnATerminal(const std::vector<std::string>& arguments,
                          const std::string& until) const {
    int master = -1;
    const pid_t pid = forkpty(&master, nullptr, nullptr, nullptr);
    if (pid == 0) {
      std::vector<char*> argv = {const_cast<char*>("axle")};
      for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
      argv.push_back(nullptr);
      execv((BuildFolder() / "bin/axle").c_str(), argv.data());
      _exit(99);
    }
    const std::regex pattern(until);
    std::string text;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end && !std::regex_search(text, pattern)) {
      pollfd wait = {master, POLLIN, 0};
      if (poll(&wait, 1, 100) <= 0) continue;
      char bytes[4096];
      const ssize_t got = read(master, bytes, sizeof bytes);
      if (got <= 0) break;
      text.append(bytes, static_cast<size_t>(got));
    }
    kill(pid, SIGTERM);
    int status = 0;
    waitpid(pid, &status, 0);
    close(master);
    return text;
  }
};

TEST_F(CliShell, BashCompletes) {
  Write("completion.bash", Run({"completion", "bash"}).out);
  using Words = std::vector<std::string>;
  EXPECT_EQ(Complete({"axle", "complet"}), Words{"completion"});
  const Words verbs = Complete({"axle", ""});
  for (const char* const verb : kVerbs) {
    EXPECT_EQ(std::ranges::count(verbs, verb), 1) << verb;
  }
  EXPECT_EQ(Complete({"axle", "run", "--eng"}), Words{"--engine"});
  EXPECT_EQ(Complete({"axle", "run", "--engine", ""}), (Words{"interpret", "native"}));
  EXPECT_EQ(Complete({"axle", "run", "--engine", "=", "na"}), Words{"native"});
  EXPECT_EQ(Complete({"axle", "run", "--engine", "="}), (Words{"interpret", "native"}));
  EXPECT_EQ(Complete({"axle", "run", "--output", "x"}), Words());  // files, by default
  EXPECT_EQ(Complete({"axle", "opt", "--passes", "dce,cs"}), Words{"dce,cse"});
  EXPECT_EQ(Complete({"axle", "opt", "--to", "bu"}), Words{"buffers"});
  EXPECT_EQ(Complete({"axle", "ops", "trans"}), Words{"transpose"});
  EXPECT_EQ(Complete({"axle", "completion", "f"}), Words{"fish"});
  EXPECT_EQ(Complete({"axle", "help", "expl"}), Words{"explain"});
  EXPECT_EQ(Complete({"axle", "parse", "--inputs"}), Words());  // of other verbs
}

// One list says what a verb takes: it, its help, its manual page and what completion offers agree,
// and every option is described.
TEST_F(CliShell, HelpManAndCompletionSayWhatAVerbTakes) {
  const auto options_in = [](const std::string& text, const std::string& pattern) {
    std::set<std::string> found;
    const std::regex option(pattern);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), option);
         it != std::sregex_iterator(); ++it) {
      found.insert((*it)[1]);
    }
    return found;
  };
  const std::string fish = Run({"completion", "fish"}).out;
  const std::string general = Run({"help", "options"}).out;
  std::map<std::string, std::set<std::string>> of_verb;
  std::set<std::string> all;
  for (const char* const verb : kVerbs) {
    std::set<std::string>& options = of_verb[verb];
    std::istringstream lines(fish);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(StrCat("__fish_seen_subcommand_from ", verb, "'")) == std::string::npos)
        continue;
      options.merge(options_in(line, " -l ([a-z-]+)"));
      if (line.find(" -l ") != std::string::npos) {
        EXPECT_NE(line.find(" -d '"), std::string::npos) << line;
      }
    }
    EXPECT_EQ(options.erase("help"), 1u) << verb;
    all.insert(options.begin(), options.end());
    // In the help: a row, or a mention among those that `axle help options` describes.
    std::string help = Run({verb, "-h"}).out;
    const size_t brief = help.find("\n  and  ");
    ASSERT_NE(brief, std::string::npos);
    const std::string tail = std::regex_replace(help.substr(brief), std::regex("\n *"), " ");
    help.resize(brief + 1);
    std::set<std::string> shown = options_in(help, "\n  (?:-[a-z], )?--([a-z-]+)");
    for (const std::string& name : options_in(tail, "--([a-z-]+)")) {
      EXPECT_TRUE(shown.insert(name).second) << verb << " " << name << " twice";
      EXPECT_NE(general.find(StrCat("--", name)), std::string::npos) << name;
    }
    EXPECT_EQ(shown, options) << verb;
    // In the manual page: a term with a text.
    std::string page = Run({"man", verb}).out;
    page = std::regex_replace(page, std::regex("\\\\-"), "-");
    EXPECT_EQ(options_in(page, "\n\\.TP\n\\.B (?:-[a-z], )?--([a-z-]+)[^\n]*\n[^.\n]"), options)
        << page;
  }
  for (const char* const verb : kVerbs) {
    for (const std::string& name : all) {
      const Result r = Run({verb, "-h", StrCat("--", name, "=1")});
      const bool is_refused = r.err.find("unknown option \"--") != std::string::npos;
      EXPECT_EQ(is_refused, !of_verb[verb].contains(name)) << verb << " " << name << ": " << r.err;
    }
  }
  // Where it means nothing.
  EXPECT_FALSE(of_verb["ops"].contains("strict-types"));
  EXPECT_FALSE(of_verb["gen"].contains("from"));
  EXPECT_TRUE(of_verb["run"].contains("strict-types"));
  EXPECT_TRUE(of_verb["check"].contains("rtol"));
}

TEST_F(CliShell, WrongValuesOfOptionsSayWhatIsRight) {
  const std::string add = Write("add.hlo", kAdd);
  const auto error = [&](const std::vector<std::string>& arguments) {
    const Result r = Run(arguments);
    EXPECT_EQ(r.exit, 2) << r.out;
    return r.err;
  };
  for (const std::string text : {"x", "-1", "nan", "inf", "1e999", "1x"}) {
    EXPECT_EQ(
        error({"check", add, "--rtol=" + text}),
        StrCat("axle: check: --rtol: \"", text, "\" is not a number like 0, 0.001 or 1e-5\n"));
  }
  EXPECT_EQ(error({"run", add, "--repeat", "0"}),
            "axle: run: --repeat: \"0\" is not a whole number from 1 to 1000000000\n");
  EXPECT_EQ(error({"run", add, "--seed", "-4"}),
            "axle: run: --seed: \"-4\" is not a whole number from 0 to 18446744073709551615\n");
  EXPECT_EQ(error({"check", add, "--ulp", "3.5"}),
            "axle: check: --ulp: \"3.5\" is not a whole number from 0 to 18446744073709551615\n");
  EXPECT_EQ(error({"check", add, "--threads", "1,x"}),
            "axle: check: --threads: \"x\" is not a whole number from 0 to 4096\n");
  EXPECT_EQ(error({"gen", "--count", "many"}),
            "axle: gen: --count: \"many\" is not a whole number from 0 to 18446744073709551615\n");
  EXPECT_EQ(error({"check", "--random=x"}),
            "axle: check: --random: \"x\" is not a whole number from 0 to 18446744073709551615\n");
  EXPECT_EQ(error({"run", add, "--repeat"}), "axle: run: --repeat: the value is missing\n");
  EXPECT_EQ(error({"run", add, "--time=3"}), "axle: run: --time takes no value\n");
  EXPECT_EQ(error({"run", add, "--rtol", "1"}),
            "axle: unknown option \"--rtol\" for \"run\"; `axle run -h` lists its options\n");
  EXPECT_EQ(error({"run", add, "--from", "onnx"}),
            "axle: --from: unknown format \"onnx\"; there are hlo, hlo.pb, stablehlo\n");
}

// Every option that a verb takes, for every shell; where the shell is there, it reads the script.
TEST_F(CliShell, EveryShellKnowsEveryOption) {
  for (const char* const shell : {"bash", "zsh", "fish"}) {
    const Result script = Run({"completion", shell});
    ASSERT_EQ(script.exit, 0) << script.err;
    for (const char* const verb : kVerbs) {
      EXPECT_NE(script.out.find(verb), std::string::npos) << shell << verb;
      // What the verb's own message for an unknown option is drawn from is in the script.
      const std::string help = Run({verb, "-h"}).out;
      const std::regex option("--[a-z][a-z-]+");
      for (auto it = std::sregex_iterator(help.begin(), help.end(), option);
           it != std::sregex_iterator(); ++it) {
        const std::string name = it->str() == "--install" ? "--output" : it->str();
        const std::string wanted = std::string(shell) == "fish" ? "-l " + name.substr(2) : name;
        EXPECT_NE(script.out.find(wanted), std::string::npos)
            << shell << " " << verb << " " << name;
      }
    }
    const std::string file = Write("script", script.out);
    const std::string there = std::string("command -v ") + shell + " > /dev/null";
    if (std::system(there.c_str()) != 0) {
      std::printf("not read by %s, which is not there\n", shell);
      continue;
    }
    EXPECT_EQ(std::system((std::string(shell) + " -n " + file).c_str()), 0) << shell;
  }
  EXPECT_EQ(Run({"completion", "bahs"}).err,
            "axle: completion: unknown shell \"bahs\" (did you mean \"bash\"?); there are bash, "
            "zsh, fish\n");
  EXPECT_EQ(Run({"completion"}).exit, 2);
}

TEST_F(CliShell, ManualPagesAreTheHelp) {
  const Result all = Run({"man", "--output", Path("man1")});
  ASSERT_EQ(all.exit, 0) << all.err;
  const auto count = std::distance(fs::directory_iterator(Path("man1")), {});
  EXPECT_EQ(count, static_cast<std::ptrdiff_t>(std::size(kVerbs)) + 1);
  const std::string overview = Run({"man"}).out;
  EXPECT_EQ(ReadText(Path("man1/axle.1")), overview);
  EXPECT_NE(overview.find("AXLE_NUM_THREADS"), std::string::npos);
  for (const char* const verb : kVerbs) {
    const std::string page = Run({"man", verb}).out;
    EXPECT_EQ(ReadText(Path(StrCat("man1/axle-", verb, ".1"))), page);
    EXPECT_NE(overview.find(StrCat("axle\\-", verb)), std::string::npos) << verb;
    EXPECT_TRUE(page.starts_with(".TH ")) << page;
    EXPECT_NE(page.find(".SH NAME\naxle\\-"), std::string::npos);
    // Every word of the help is in the page, but for what says where more is.
    const std::string help = Run({verb, "-h"}).out;
    std::istringstream words(help.substr(0, help.find("\n  and  ")));
    for (std::string word; words >> word;) {
      std::string roff;
      for (char c : word) roff += c == '-' ? "\\-" : c == '\\' ? "\\e" : std::string(1, c);
      EXPECT_NE(page.find(roff), std::string::npos) << verb << ": " << word;
    }
    // No line is a request that is none of ours.
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      if (line[0] != '.') continue;
      const std::string request = line.substr(1, line.find(' ') - 1);
      EXPECT_TRUE(request == "TH" || request == "SH" || request == "B" || request == "BR" ||
                  request == "TP" || request == "PP" || request == "nf" || request == "fi")
          << line;
    }
  }
  if (std::system("command -v groff > /dev/null") == 0) {
    const std::string command = "groff -man -ww -Tutf8 " + Path("man1") + "/*.1 2> " +
                                Path("warnings") + " > " + Path("pages");
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(ReadText(Path("warnings")), "");
  }
  EXPECT_EQ(Run({"man", "rnu"}).exit, 2);
}

// A loop says how far it is, quick ones and slow ones, on each engine.
TEST_F(CliShell, ALoopOnATerminalCountsItsSteps) {
  const std::string quick = Write("forever.hlo", kForever);
  const std::string slow = Write("slow.hlo", R"(HloModule slow

always {
  x = f32[700,700] parameter(0)
  ROOT yes = pred[] constant(true)
}

step {
  x = f32[700,700] parameter(0)
  ROOT d = f32[700,700] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}

ENTRY main {
  x = f32[700,700] parameter(0)
  ROOT r = f32[700,700] while(x), condition=always, body=step
}
)");
#ifdef AXLE_HAS_CODEGEN
  const std::vector<std::string> engines = {"interpret", "native"};
#else
  const std::vector<std::string> engines = {"interpret"};
#endif
  for (const std::string& engine : engines) {
    const std::string line = "step [0-9]{1,3}(,[0-9]{3})+  [0-9.]+ s";
    const std::string fast = OnATerminal({"run", quick, "--engine", engine}, line);
    EXPECT_TRUE(std::regex_search(fast, std::regex(line))) << engine << fast;
    // Two lines, so that the number moves.
    const std::string lines = "step [0-9,]+  [0-9.]+ s[\\s\\S]*step [0-9,]+  [0-9.]+ s";
    const std::string lazy = OnATerminal({"run", slow, "--fake=zeros", "--engine", engine}, lines);
    EXPECT_TRUE(std::regex_search(lazy, std::regex(lines))) << engine << lazy;
  }
  EXPECT_EQ(Run({"run", quick, "--time-limit", "1.5"}).err.find("step "), std::string::npos);
  EXPECT_EQ(OnATerminal({"run", quick, "-q", "--time-limit", "1.5"}, "step ").find("step "),
            std::string::npos);
}

TEST_F(CliShell, ValuesOfOptionsGetTheNearestName) {
  const std::string add = Write("add.hlo", kAdd);
  const auto expect = [&](const std::vector<std::string>& arguments, std::string_view nearest) {
    const Result r = Run(arguments);
    EXPECT_NE(r.exit, 0) << arguments[1];
    EXPECT_NE(r.err.find(StrCat("(did you mean \"", nearest, "\"?)")), std::string::npos) << r.err;
  };
  expect({"run", add, "--engine", "nativ"}, "native");
  expect({"run", add, "--isa", "avx521"}, "avx512");
  expect({"run", add, "--numerics", "fats"}, "fast");
  expect({"run", add, "--fake=radnom"}, "random");
  expect({"run", add, "--from", "hlo.bp"}, "hlo.pb");
  expect({"run", add, "--color", "nevr"}, "never");
  expect({"print", add, "--style", "shrot"}, "short");
  expect({"convert", add, "--to", "jsno"}, "json");
  expect({"opt", add, "--to", "fusion"}, "fusions");
  expect({"opt", add, "--passes", "dec"}, "dce");
  expect({"check", add, "--isa", "avx2,avx51"}, "avx512");
  expect({"ops", "trnaspose"}, "transpose");
  expect({"help", "rnu"}, "run");
  expect({"parse", Write("typo.hlo",
                         "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n"
                         "  ROOT y = f32[] negte(x)\n}\n")},
         "negate");
  const std::string request = "{\"verb\":\"rum\",\"file\":\"x\"}\n";
  EXPECT_NE(Run({"batch"}, request).out.find("did you mean \\\"run\\\"?"), std::string::npos);
}

TEST_F(CliShell, OpsShowTheBuildersCall) {
  EXPECT_NE(Run({"ops", "select"})
                .out.find("  builder   XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false)\n"),
            std::string::npos);
  EXPECT_NE(Run({"ops", "count-leading-zeros"}).out.find("  builder   XlaOp Clz(XlaOp operand)\n"),
            std::string::npos);
  EXPECT_NE(Run({"ops", "send-done", "--json"})
                .out.find("\"XlaOp HloInstruction::CreateSendDone(XlaOp context)\""),
            std::string::npos);
}

TEST_F(CliShell, TheEnvironmentSaysHowManyThreads) {
  setenv("AXLE_NUM_THREADS", "none", 1);
  const std::string add = Write("add.hlo", kAdd);
  const Result wrong = Run({"run", add, "--fake"});
  EXPECT_EQ(wrong.exit, 3);
  EXPECT_EQ(wrong.err,
            "INVALID_ARGUMENT: client: the environment variable AXLE_NUM_THREADS is \"none\", must "
            "be a number from 1 to 1024\n");
  EXPECT_EQ(Run({"run", add, "--fake", "--threads", "2"}).exit, 0);
  setenv("AXLE_NUM_THREADS", "2", 1);
  EXPECT_EQ(Run({"run", add, "--fake"}).exit, 0);
  unsetenv("AXLE_NUM_THREADS");
  setenv("AXLE_CODEGEN_LIBRARY", "/nowhere/lib.so", 1);
  const Result library = Run({"run", add, "--fake"});
  EXPECT_EQ(library.exit, 5);
  EXPECT_NE(library.err.find("/nowhere/lib.so"), std::string::npos) << library.err;
  EXPECT_EQ(Run({"run", add, "--fake", "--engine", "interpret"}).exit, 0);
  unsetenv("AXLE_CODEGEN_LIBRARY");
}

}  // namespace
}  // namespace axle
