#include "engine/clock.hpp"
#include <vector>
#define LOG(x) log_line(x)
namespace app::core {
using Id = unsigned long;
template <typename T>
concept Sized = sizeof(T) > 1;
enum class Mode : int { Read, Write };
constexpr int kLimit = 3;

template <class T>
class Pool : public Base<T> {
 public:
  explicit Pool(int size) : size_(size) {}
  ~Pool();
  T& at(Id id) const { return items_[find(id)]; }
  virtual void clear() = 0;
  Pool& operator=(const Pool& other);
  operator bool() const { return size_ > 0; }
  struct Slot { T value; };
 private:
  std::vector<T> items_;
  int size_;
};

template <class T>
Pool<T>::~Pool() { clear(); }

static Clock* make_clock(Mode mode) {
  Clock local(mode);
  auto twice = [](int x) { return x * 2; };
  return new Clock(std::max(twice(1), 2));
}
}  // namespace app::core

int app::core::Timer::tick(int step) { return step; }
std::ostream& operator<<(std::ostream& out, const Mode& mode) { return out; }
int main() { LOG("x"); app::core::run<Mode>(); }
