// Gloo's context over TCP, with connections that fail without ending the process.
//
// Gloo's thread takes a connection, and reads from it, without catching what its own checks throw:
// a connection that is reset just after it was made, or that sends what Gloo does not understand,
// would end the process. Here both end only the connection, with the error that Gloo has. Nor does
// Gloo tell those who wait for a message that is under way when a connection ends; here it does.
#pragma once
#include <functional>
#include <memory>

namespace gloo::transport {
class Context;
class Device;
}  // namespace gloo::transport

namespace axle {

// A context of process `process` of `size` for a device of TCP. `on_closed` is called when the
// connection with another process has ended, with locks of Gloo held, and must not throw. If the
// library lays pairs out in another way than its headers, which would be those of another version,
// it is Gloo's own one.
std::shared_ptr<gloo::transport::Context> MakeGuardedContext(
    const std::shared_ptr<gloo::transport::Device>& device, int process, int size,
    std::function<void(int process)> on_closed);

}  // namespace axle
