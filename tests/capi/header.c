/* Nothing but the header. */
#include "axle/c_api.h"

int main(void) {
  return 0;
}
