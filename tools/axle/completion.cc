// axle completion: what shells need to complete verbs, options and their values, made from the
// table of verbs, their options and their help.
#include <algorithm>

#include "axle/client/op_table.h"
#include "axle/core/strings.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

struct VerbWords {
  std::string name, summary;
  std::vector<OptionInfo> options;
  std::vector<std::string> texts;       // of the options
  std::vector<std::string> positional;  // what stands where others take files; none: files
};

constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};

std::vector<std::string> PositionalWords(std::string_view verb) {
  std::vector<std::string> words;
  if (verb == "completion") words.assign(std::begin(kShells), std::end(kShells));
  if (verb == "help" || verb == "man") {
    for (const Verb* each : AllVerbs()) words.emplace_back(each->name);
    if (verb == "help") words.emplace_back("options");
  }
  if (verb == "ops") {
    for (const OpInfo& op : DescribeOps()) words.emplace_back(op.name);
  }
  return words;
}

std::vector<VerbWords> AllWords() {
  std::vector<VerbWords> all;
  for (const Verb* verb : AllVerbs()) {
    VerbWords& words = all.emplace_back();
    words.name = verb->name;
    words.summary = verb->summary;
    words.options = OptionsOf(verb->options);
    words.options.push_back({.name = "help",
                             .spellings = {"--help", "-h"},
                             .term = "-h, --help",
                             .text = "help on this verb"});
    for (const OptionInfo& option : words.options) {
      words.texts.push_back(option.text.substr(0, option.text.find_first_of(";:")));  // one line
    }
    words.positional = PositionalWords(verb->name);
  }
  VerbWords& help = all.emplace_back();
  help.name = "help";
  help.summary = "all verbs, or one of them";
  help.positional = PositionalWords("help");
  return all;
}

std::string Spaced(const std::vector<std::string>& words) {
  return Join(words, " ");
}

// Where a value with a list of words stands before the cursor, bash gives those; for other values
// and operands it gives the names of files. Bash takes "=" for a word of its own.
std::string Bash(const std::vector<VerbWords>& verbs) {
  std::string text =
      "# Completion of axle for bash; made by `axle completion bash`.\n"
      "_axle() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options words head\n"
      "  if [[ $cur == = ]]; then\n    cur=\n"
      "  elif [[ $prev == = ]]; then\n    prev=${COMP_WORDS[COMP_CWORD-2]}\n  fi\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W \"";
  StrAppend(text, Join(verbs, " ", [](const VerbWords& verb) { return verb.name; }),
            " --version --help\" -- \"$cur\"))\n    return\n  fi\n"
            "  case \"${COMP_WORDS[1]} $prev\" in\n");
  for (const VerbWords& verb : verbs) {
    for (const OptionInfo& option : verb.options) {
      if (!option.takes_value) continue;
      text += "    ";
      text += Join(option.spellings, "|", [&](const std::string& spelling) {
        return StrCat("\"", verb.name, " ", spelling, "\"");
      });
      if (option.values.empty()) {
        text += ") return ;;\n";
        continue;
      }
      const std::string_view head = option.is_list ? "head=${cur%\"${cur##*,}\"} " : "";
      StrAppend(text, ") ", head, "words=\"", Spaced(option.values), "\" ;;\n");
    }
  }
  text += "  esac\n  if [[ -z $words ]]; then\n    case ${COMP_WORDS[1]} in\n";
  for (const VerbWords& verb : verbs) {
    StrAppend(
        text, "      ", verb.name, ") options=\"",
        Join(verb.options, " ", [](const OptionInfo& option) { return Spaced(option.spellings); }),
        "\" words=\"", Spaced(verb.positional), "\" ;;\n");
  }
  text +=
      "    esac\n"
      "    [[ $cur == -* ]] && words=$options\n  fi\n"
      "  COMPREPLY=($(compgen -P \"$head\" -W \"$words\" -- \"${cur#\"$head\"}\"))\n"
      "}\n"
      "complete -o bashdefault -o default -F _axle axle\n";
  return text;
}

// Inside of single quotation marks; `special` characters get a backslash.
std::string Quoted(std::string_view text, std::string_view special) {
  std::string out;
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}

std::string ZshOption(const OptionInfo& option, std::string_view text) {
  std::string value;
  if (option.takes_value) {
    value = option.values.empty() ? (option.is_path ? ":file:_files" : ":value:")
            : option.is_list      ? StrCat(":value:_values -s , value ", Spaced(option.values))
                                  : StrCat(":value:(", Spaced(option.values), ")");
  }
  // "*": arguments may come more than once.
  const std::string excluded = StrCat("(", Spaced(option.spellings), ")");
  std::string out;
  for (const std::string& spelling : option.spellings) {
    const bool is_long = spelling.starts_with("--");
    StrAppend(out, " \\\n        '", excluded, spelling, option.takes_value && is_long ? "=" : "",
              "[", Quoted(text, "[]\\"), "]", value, "'");
  }
  return out;
}

std::string Zsh(const std::vector<VerbWords>& verbs) {
  std::string text =
      "#compdef axle\n# Completion of axle for zsh; made by `axle completion zsh`.\n"
      "_axle() {\n  local -a verbs\n  verbs=(\n";
  for (const VerbWords& verb : verbs) {
    StrAppend(text, "    '", verb.name, ":", Quoted(verb.summary, ":\\"), "'\n");
  }
  text +=
      "  )\n  if ((CURRENT == 2)); then\n    _describe verb verbs\n    return\n  fi\n"
      "  shift words\n  ((CURRENT--))\n  case $words[1] in\n";
  for (const VerbWords& verb : verbs) {
    StrAppend(text, "    ", verb.name, ")\n      _arguments");
    for (size_t i = 0; i < verb.options.size(); ++i) {
      text += ZshOption(verb.options[i], verb.texts[i]);
    }
    StrAppend(text, " \\\n        '*:",
              verb.positional.empty() ? std::string("file:_files")
                                      : StrCat("name:(", Spaced(verb.positional), ")"),
              "' ;;\n");
  }
  return StrCat(text, "  esac\n}\n_axle \"$@\"\n");
}

std::string Fish(const std::vector<VerbWords>& verbs) {
  std::string text = "# Completion of axle for fish; made by `axle completion fish`.\n";
  for (const VerbWords& verb : verbs) {
    StrAppend(text, "complete -c axle -f -n __fish_use_subcommand -a ", verb.name, " -d '",
              Quoted(verb.summary, "\\"), "'\n");
  }
  for (const VerbWords& verb : verbs) {
    const std::string begin =
        StrCat("complete -c axle -n '__fish_seen_subcommand_from ", verb.name, "'");
    if (!verb.positional.empty()) {
      StrAppend(text, begin, " -f -a '", Spaced(verb.positional), "'\n");
    }
    for (size_t i = 0; i < verb.options.size(); ++i) {
      const OptionInfo& option = verb.options[i];
      text += begin;
      for (const std::string& spelling : option.spellings) {
        const bool is_long = spelling.starts_with("--");
        StrAppend(text, is_long ? " -l " : " -s ", spelling.substr(is_long ? 2 : 1));
      }
      if (option.takes_value) text += option.is_path ? " -r -F" : " -x";
      if (!option.values.empty()) StrAppend(text, " -a '", Spaced(option.values), "'");
      if (!verb.texts[i].empty()) StrAppend(text, " -d '", Quoted(verb.texts[i], "\\"), "'");
      text += "\n";
    }
  }
  return text;
}

int RunCompletion(Session& session) {
  const std::vector<std::string>& files = session.options().files;
  const std::string all = Join(kShells, ", ");
  if (files.size() != 1) return session.Usage(StrCat("completion: takes a shell: ", all));
  const std::string& shell = files[0];
  if (std::ranges::find(kShells, shell) == std::end(kShells)) {
    return session.Usage(StrCat("completion: unknown shell \"", PrintableText(shell), "\"",
                                DidYouMean(shell, kShells), "; there are ", all));
  }
  const std::vector<VerbWords> verbs = AllWords();
  return session.Write(shell == "bash" ? Bash(verbs) : shell == "zsh" ? Zsh(verbs) : Fish(verbs));
}

constexpr OptionUse kOptions[] = {
    {"output"},
};

}  // namespace

const Verb kCompletionVerb = {
    .name = "completion",
    .summary = "completion of verbs and options, for a shell",
    .examples =
        "axle completion bash > ~/.local/share/bash-completion/completions/axle\n"
        "axle completion zsh > \"${fpath[1]}/_axle\"\n"
        "axle completion fish > ~/.config/fish/completions/axle.fish\n"
        "source <(axle completion bash)                  for this shell alone\n",
    .description = "`cmake --install` puts them below share/, where shells look for them.\n",
    .options = kOptions,
    .run = RunCompletion};

}  // namespace axle::tool
