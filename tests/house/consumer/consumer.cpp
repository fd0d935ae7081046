#include <lares/lares.h>

#include <iostream>

int main() { std::cout << lares_version() << ' ' << lares_active() << '\n'; }
