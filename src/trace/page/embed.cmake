# Makes the C++ source that holds the page: cmake -DFOLDER=... -DOUT=... -P embed.cmake
#
# page.html names the other files where they belong, as <!-- include NAME -->, and where the data comes,
# as <!-- data -->. Compilers promise literals of 64 KiB and no more, so they are cut well below that.
file(READ ${FOLDER}/page.html page)
string(REGEX MATCHALL "<!-- include [^ ]+ -->" includes "${page}")
foreach(include IN LISTS includes)
  string(REGEX REPLACE "<!-- include ([^ ]+) -->" "\\1" name "${include}")
  file(READ ${FOLDER}/${name} text)
  string(REPLACE "${include}" "${text}" page "${page}")
endforeach()
if(page MATCHES "[^\n -~]")
  message(FATAL_ERROR "a source of the page has a character that is not ASCII")
endif()
string(FIND "${page}" "<!-- data -->\n" cut)
if(cut EQUAL -1)
  message(FATAL_ERROR "page.html does not say where its data comes")
endif()
string(SUBSTRING "${page}" 0 ${cut} before)
string(SUBSTRING "${page}" ${cut} -1 after)

# A function of `text` in pieces.
function(pieces_of name text result)
  set(cpp "std::span<const std::string_view> ${name}() noexcept {\n")
  string(APPEND cpp "  static constexpr std::string_view pieces[] = {\n")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 12000 piece)
    string(APPEND cpp "R\"lares_page(${piece})lares_page\",\n")
    math(EXPR at "${at} + 12000")
  endwhile()
  set(${result} "${cpp}  };\n  return pieces;\n}\n" PARENT_SCOPE)
endfunction()
pieces_of(before_data "${before}" first)
pieces_of(after_data "${after}" second)
file(WRITE ${OUT} "#include \"trace/page/sources.hpp\"\n
namespace lares::trace::page {\n${first}\n${second}\n}  // namespace lares::trace::page\n")
