/* Stands in the wheel of Python for libibverbs and libhiredis. Debian's libgloo.so needs both to be loaded: its
 * functions for InfiniBand and for a rendezvous with Redis call them. Axle uses Gloo's TCP and its own rendezvous, so
 * that it never calls these. They say what the libraries say on a machine without such devices and servers: that there is
 * no device, and that nothing was connected. What is done with a device or a connection is then unreachable.
 *
 * libibverbs itself is not put into the wheel: it needs libnl, which is under the LGPL.
 * scripts/make_wheel.py copies this library into the wheel under the name that the copy of Gloo there looks for. */

/* NOLINTBEGIN(readability-identifier-naming): the names of those libraries */
struct ibv_device;

/* No devices. */
struct ibv_device** ibv_get_device_list(int* count);
struct ibv_device** ibv_get_device_list(int* count) {
  if (count != 0) *count = 0;
  return 0;
}

/* A connection of null is an error of every caller in Gloo. */
void* redisConnectWithTimeout(const char* host, int port, ...);
void* redisConnectWithTimeout(const char* host, int port, ...) {
  (void)host;
  (void)port;
  return 0;
}

/* These need a device or a connection. */
#define NEEDS_ONE(name) \
  void* name(void);     \
  void* name(void) { return 0; }
NEEDS_ONE(freeReplyObject)
NEEDS_ONE(ibv_ack_cq_events)
NEEDS_ONE(ibv_alloc_pd)
NEEDS_ONE(ibv_close_device)
NEEDS_ONE(ibv_create_comp_channel)
NEEDS_ONE(ibv_create_cq)
NEEDS_ONE(ibv_create_qp)
NEEDS_ONE(ibv_dealloc_pd)
NEEDS_ONE(ibv_dereg_mr)
NEEDS_ONE(ibv_destroy_comp_channel)
NEEDS_ONE(ibv_destroy_cq)
NEEDS_ONE(ibv_destroy_qp)
NEEDS_ONE(ibv_free_device_list)
NEEDS_ONE(ibv_get_cq_event)
NEEDS_ONE(ibv_modify_qp)
NEEDS_ONE(ibv_open_device)
NEEDS_ONE(ibv_query_device)
NEEDS_ONE(ibv_query_gid)
NEEDS_ONE(ibv_query_port)
NEEDS_ONE(ibv_reg_mr)
NEEDS_ONE(ibv_wc_status_str)
NEEDS_ONE(redisCommand)
NEEDS_ONE(redisCommandArgv)
NEEDS_ONE(redisFree)
/* NOLINTEND(readability-identifier-naming) */
