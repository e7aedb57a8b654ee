// Redaction: what may be kept of command lines and variables. In doubt a value is hidden: a recording is passed on to
// others. [MT] Pure functions.
#pragma once

#include <string>
#include <vector>

namespace warpscope::record {

// Whether a variable or option of this name holds a secret, by the words of its name ("HF_TOKEN", "--api-key",
// "dbPassword"; not "--tokenizer" or "--max-tokens").
bool NamesSecret(const std::string& name);

// A text with what looks like a secret replaced by "***": passwords in URLs, values behind the name of a secret in JSON
// or KEY=VALUE, "--password VALUE" inside of the text, "Bearer ...", private keys, and keys of well-known services by
// how they begin.
std::string Redacted(const std::string& text);

// The value of a variable or tag of that name.
std::string RedactedValue(const std::string& name, const std::string& value);

// The words of a command line as one line, redacted; the word behind "--password" is hidden as well.
std::string RedactedCommand(const std::vector<std::string>& words);

}  // namespace warpscope::record
