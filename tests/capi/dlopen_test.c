/* Opens and closes the library a thousand times, with a run in between, and ends in peace. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "axle/c_api.h"

/* C99 has no conversion of void* to a function. */
static void* find(void* library, const char* name, void* function) {
  void* symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol;
}

int main(int argc, char** argv) {
  static const char kText[] =
      "HloModule n\nENTRY e {\n  x = s32[] parameter(0)\n  ROOT r = s32[] negate(x)\n}\n";
  axle_status* (*create)(const axle_client_options*, axle_client**);
  axle_status* (*parse)(const void*, size_t, const axle_parse_options*, axle_module**);
  axle_status* (*compile)(axle_client*, const axle_module*, const axle_compile_options*,
                          axle_executable**);
  axle_status* (*run)(const axle_executable*, const axle_execute_options*, const axle_array* const*,
                      size_t, const axle_array* const*, size_t);
  void (*destroy_client)(axle_client*);
  void (*destroy_module)(axle_module*);
  void (*destroy_executable)(axle_executable*);
  int i;
  if (argc != 2) return 2;
  for (i = 0; i < 1000; ++i) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    if (!find(library, "axle_client_create", &create) ||
        !find(library, "axle_module_parse", &parse) ||
        !find(library, "axle_client_compile", &compile) ||
        !find(library, "axle_executable_run", &run) ||
        !find(library, "axle_client_destroy", &destroy_client) ||
        !find(library, "axle_module_destroy", &destroy_module) ||
        !find(library, "axle_executable_destroy", &destroy_executable)) {
      return 1;
    }
    if (i % 100 == 0) {
      int x = 21, r = 0;
      axle_array in, out;
      const axle_array* ins[1];
      const axle_array* outs[1];
      axle_client* client = NULL;
      axle_module* module = NULL;
      axle_executable* executable = NULL;
      memset(&in, 0, sizeof in);
      in.struct_size = sizeof in;
      in.type = AXLE_S32;
      out = in;
      in.data = &x;
      out.data = &r;
      ins[0] = &in;
      outs[0] = &out;
      if (create(NULL, &client) || parse(kText, strlen(kText), NULL, &module) ||
          compile(client, module, NULL, &executable) || run(executable, NULL, ins, 1, outs, 1) ||
          r != -21) {
        return 1;
      }
      destroy_executable(executable);
      destroy_module(module);
      destroy_client(client);
    }
    if (dlclose(library) != 0) return 1;
  }
  return 0;
}
