// The same program in C++: the public headers must be C++ too, and an owner can be a unique_ptr.
#include <iostream>
#include <memory>
#include <verso/verso.h>

int main() {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_REVOLVE);
    spec.steps = 10;
    spec.slots = 3;

    verso_error error;
    verso_schedule *made = nullptr;
    if (verso_schedule_new(&spec, &made, &error) != VERSO_STATUS_OK) {
        std::cerr << error.message << '\n';
        return 1;
    }
    std::unique_ptr<verso_schedule, decltype(&verso_schedule_free)> schedule(made, verso_schedule_free);

    uint64_t steps = 0;
    for (verso_action action{}; action.kind != VERSO_ACTION_DONE;) {
        if (verso_schedule_next(schedule.get(), &action, &error) != VERSO_STATUS_OK) {
            std::cerr << error.message << '\n';
            return 1;
        }
        if (action.kind == VERSO_ACTION_ADVANCE)
            steps += action.to - action.from;
    }
    std::cout << "verso " << verso_version() << ": " << steps << " forward steps\n";
    return steps == 15 ? 0 : 1;
}
