# Writes OUT: every FOLDER/*.tsv as a raw string, sorted by name. Square brackets and semicolons mean something to
# CMake's lists, so the text is never treated as one.
file(GLOB paths ${FOLDER}/*.tsv)
list(SORT paths)
file(WRITE ${OUT} "#include \"lang/embedded.h\"\n\nnamespace warpscope::lang {\nnamespace {\n\nusing std::string_view_literals::operator\"\"sv;  // its length is not counted by the compiler's limited loops\n\nconstexpr EmbeddedCatalogue kChinese[] = {\n")
foreach(path ${paths})
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} body)
  file(APPEND ${OUT} "    {\"${name}\", R\"embedded(" "${body}" ")embedded\"sv},\n")
endforeach()
file(APPEND ${OUT} "};\n\n}  // namespace\n\nstd::span<const EmbeddedCatalogue> ChineseCatalogues() { return kChinese; }\n\n}  // namespace warpscope::lang\n")
