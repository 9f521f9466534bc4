// Expected outputs as files beside the tests, for review.
#pragma once

#include <string>
#include <string_view>

namespace opscope::testing {

// Compares with the file `path` (relative to the repository). A mismatch fails the test, shows the
// first line that differs and leaves <name>.actual in the working directory; with UPDATE_EXPECTED=1
// the file is rewritten instead.
void ExpectFile(const std::string& path, std::string_view actual);

// A file of the repository, whole; fails the test when it is not there.
std::string ReadRepositoryFile(const std::string& path);
// Its absolute path.
std::string RepositoryPath(const std::string& path);

}  // namespace opscope::testing
