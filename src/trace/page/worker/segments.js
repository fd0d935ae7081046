// Which grain a thread was really in: grains nest, and the innermost one counts.

// Calls emit(grain, from, to) for the pieces of time in which grains first to last - 1 of one thread
// are the innermost ones. `open` lists grains that are already open at `start`, outer ones first.
function eachSegment(begin, length, first, last, open, start, emit) {
  const stack = open.slice();
  let at = start;
  const closeUntil = (time) => {
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const end = begin[top] + length[top];
      if (end > time) break;
      if (end > at) {
        emit(top, at, end);
        at = end;
      }
      stack.pop();
    }
  };
  for (let i = first; i < last; i++) {
    closeUntil(begin[i]);
    if (stack.length > 0 && begin[i] > at) emit(stack[stack.length - 1], at, begin[i]);
    at = begin[i];
    if (length[i] === 0) emit(i, at, at);
    else stack.push(i);
  }
  closeUntil(Infinity);
}

// For every grain the one around it on its thread, by one higher; 0: none.
function enclosing(begin, length, of) {
  const outer = new Uint32Array(begin.length);
  const stack = [];
  for (let t = 0; t + 1 < of.length; t++) {
    stack.length = 0;
    for (let i = of[t]; i < of[t + 1]; i++) {
      while (stack.length > 0) {
        const top = stack[stack.length - 1];
        if (begin[top] + length[top] > begin[i]) break;
        stack.pop();
      }
      if (stack.length > 0) outer[i] = stack[stack.length - 1] + 1;
      stack.push(i);
    }
  }
  return outer;
}
