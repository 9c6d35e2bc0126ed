// The note of type NT_GNU_BUILD_ID among the program headers of the object that is loaded at an
// address.
#include "axle/runtime/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace axle {
namespace {

struct Search {
  ElfW(Addr) address;
  std::string id;
};

// The id among the notes of one segment.
std::string IdInNotes(const char* notes, size_t size) {
  constexpr char kOwner[] = "GNU";
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof(note));
    const size_t name_size = (note.n_namesz + size_t{3}) / 4 * 4;
    const size_t id_size = (note.n_descsz + size_t{3}) / 4 * 4;
    const size_t whole = sizeof(note) + name_size + id_size;
    if (whole > size) break;
    const char* const name = notes + sizeof(note);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(kOwner) &&
        std::memcmp(name, kOwner, sizeof(kOwner)) == 0) {
      return std::string(name + name_size, note.n_descsz);
    }
    notes += whole;
    size -= whole;
  }
  return "";
}

int Look(dl_phdr_info* object, size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool is_inside = false;
  std::string id;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object->dlpi_phdr[i];
    const ElfW(Addr) begin = object->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && search.address - begin < header.p_memsz) is_inside = true;
    if (header.p_type == PT_NOTE && id.empty()) {
      id = IdInNotes(reinterpret_cast<const char*>(begin), header.p_memsz);
    }
  }
  if (is_inside) search.id = std::move(id);
  return is_inside ? 1 : 0;
}

}  // namespace

std::string BuildIdOf(const void* function) {
  Search search{reinterpret_cast<ElfW(Addr)>(function), ""};
  dl_iterate_phdr(Look, &search);
  return search.id;
}

}  // namespace axle
