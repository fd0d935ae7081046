// Gradient boosting by XGBoost, whose loops have static, dynamic and guided schedules.
//
//   library-xgboost [ROWS] [COLUMNS] [ROUNDS] [METHOD] [THREADS]
//
// ROUNDS trees of depth 6 for ROWS rows of COLUMNS features, of which the later rows have fewer (so
// that rows are uneven), by METHOD hist, approx or exact. THREADS is the library's `nthread`; 0
// leaves it to the library, which never takes more than there are processors.
//
// The error of the model must be at most half of the labels' standard deviation, and the model must
// predict what one that is trained with one thread predicts. Prints a line with the time and one
// with result=ok; exit status 1 if something is wrong, 2 if the arguments are. Inside `lares lab`
// the training is a counted region.
#include <lares/lab.h>
#include <math.h>
#include <string.h>
#include <xgboost/c_api.h>

#include "common.h"

typedef struct {
  bst_ulong rows, columns;
  float* values;  // row by row; NaN where a row has no such feature
  float* labels;
} Data;

typedef struct {
  int rows, columns, rounds, threads;
  const char* method;
} Options;

static void must(int status, const char* what) {
  if (status == 0) return;
  fprintf(stderr, "library-xgboost: %s failed: %s\n", what, XGBGetLastError());
  exit(1);
}

// A label that the first features explain, with steps and products, and some noise.
static float label_of(const float* x, bst_ulong row) {
  double sum = 0.2 * (random_at(row, 1u << 20) - 0.5);
  for (int k = 0; k < 4; ++k) {
    const double a = isnan(x[2 * k]) ? 0.5 : x[2 * k], b = isnan(x[2 * k + 1]) ? 0.5 : x[2 * k + 1];
    sum += (a > 0.5 ? 1.0 : -1.0) * (0.5 + b);
  }
  return (float)sum;
}

static Data make_data(const Options* o) {
  Data data = {.rows = (bst_ulong)o->rows, .columns = (bst_ulong)o->columns};
  data.values = allocate(data.rows * data.columns, sizeof(float));
  data.labels = allocate(data.rows, sizeof(float));
  for (bst_ulong row = 0; row < data.rows; ++row) {
    float* x = data.values + row * data.columns;
    const double lacking = 0.8 * (double)row / (double)data.rows;
    for (bst_ulong k = 0; k < data.columns; ++k) {
      x[k] = (float)random_at(row, k);
      if (k >= 8 && random_at(row, k + (1u << 16)) < lacking) x[k] = NAN;
    }
    data.labels[row] = label_of(x, row);
  }
  return data;
}

static void set(BoosterHandle booster, const char* name, const char* value) {
  must(XGBoosterSetParam(booster, name, value), name);
}

// A model of `rounds` trees. The caller frees it.
static BoosterHandle train(DMatrixHandle matrix, const Options* o, int threads) {
  BoosterHandle booster = NULL;
  char number[32];
  snprintf(number, sizeof(number), "%d", threads);
  must(XGBoosterCreate(&matrix, 1, &booster), "XGBoosterCreate");
  set(booster, "nthread", number);
  set(booster, "tree_method", o->method);
  set(booster, "objective", "reg:squarederror");
  set(booster, "max_depth", "6");
  set(booster, "eta", "0.3");
  set(booster, "verbosity", "1");
  for (int round = 0; round < o->rounds; ++round) {
    must(XGBoosterUpdateOneIter(booster, round, matrix), "XGBoosterUpdateOneIter");
  }
  return booster;
}

// What the model predicts for each row, in memory of our own.
static float* predictions(BoosterHandle booster, DMatrixHandle matrix, bst_ulong rows) {
  bst_ulong count = 0;
  const float* found = NULL;
  must(XGBoosterPredict(booster, matrix, 0, 0, 0, &count, &found), "XGBoosterPredict");
  if (count != rows) {
    fprintf(stderr, "library-xgboost: %llu predictions for %llu rows\n", (unsigned long long)count,
            (unsigned long long)rows);
    exit(1);
  }
  float* copy = allocate(rows, sizeof(float));
  memcpy(copy, found, rows * sizeof(float));
  return copy;
}

// The square root of the mean square of what is left of the labels, over their deviation.
static double relative_error(const Data* data, const float* predicted) {
  double mean = 0.0, deviation = 0.0, error = 0.0;
  for (bst_ulong k = 0; k < data->rows; ++k) mean += data->labels[k] / (double)data->rows;
  for (bst_ulong k = 0; k < data->rows; ++k) {
    deviation += (data->labels[k] - mean) * (data->labels[k] - mean);
    error += (double)(data->labels[k] - predicted[k]) * (data->labels[k] - predicted[k]);
  }
  return sqrt(error / deviation);
}

static double largest_difference(const float* a, const float* b, bst_ulong count) {
  double largest = 0.0;
  for (bst_ulong k = 0; k < count; ++k) {
    const double here = fabs((double)a[k] - b[k]);
    // Not fmax, which would lose a NaN.
    if (!(here <= largest)) largest = here;
  }
  return largest;
}

// How many threads the process has: the library does not tell how many it trains with.
static int threads_now(void) {
  FILE* file = fopen("/proc/self/status", "r");
  char line[256];
  int threads = 0;
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    if (sscanf(line, "Threads: %d", &threads) == 1) break;
  }
  if (file != NULL) fclose(file);
  return threads;
}

static Options read_options(int argc, char** argv) {
  Options o = {.rows = 40000, .columns = 40, .rounds = 10, .threads = 0, .method = "hist"};
  const char* me = "library-xgboost";
  if (argc > 1) o.rows = (int)number_argument(me, "ROWS", argv[1], 1, 100000000);
  if (argc > 2) o.columns = (int)number_argument(me, "COLUMNS", argv[2], 8, 10000);
  if (argc > 3) o.rounds = (int)number_argument(me, "ROUNDS", argv[3], 3, 10000);
  if (argc > 4) o.method = argv[4];
  if (argc > 5) o.threads = (int)number_argument(me, "THREADS", argv[5], 0, 1024);
  if (strcmp(o.method, "hist") != 0 && strcmp(o.method, "approx") != 0 &&
      strcmp(o.method, "exact") != 0) {
    fprintf(stderr, "%s: METHOD '%s' is not one of hist, approx, exact\n", me, o.method);
    exit(2);
  }
  if (argc > 6) {
    fprintf(stderr, "%s: '%s' is one argument too many, five are accepted\n", me, argv[6]);
    exit(2);
  }
  return o;
}

int main(int argc, char** argv) {
  const Options o = read_options(argc, argv);
  Data data = make_data(&o);
  DMatrixHandle matrix = NULL;
  must(XGDMatrixCreateFromMat(data.values, data.rows, data.columns, NAN, &matrix),
       "XGDMatrixCreateFromMat");
  must(XGDMatrixSetFloatInfo(matrix, "label", data.labels, data.rows), "XGDMatrixSetFloatInfo");

  const double start = seconds_now();
  lares_lab_region_begin("train");
  BoosterHandle booster = train(matrix, &o, o.threads);
  lares_lab_region_end("train");
  const double seconds = seconds_now() - start;
  const int threads = threads_now();
  float* predicted = predictions(booster, matrix, data.rows);

  BoosterHandle serial = train(matrix, &o, 1);
  float* expected = predictions(serial, matrix, data.rows);
  const double error = relative_error(&data, predicted);
  const double difference = largest_difference(predicted, expected, data.rows);
  // Threads add the same numbers in another order; a lost row or feature is far above that.
  const int good = error <= 0.5 && difference <= 1e-3;
  printf("part=%s rows=%d columns=%d rounds=%d seconds=%.6f error=%.4f difference=%.1e %s\n",
         o.method, o.rows, o.columns, o.rounds, seconds, error, difference,
         good ? "right" : "wrong");
  printf("threads=%d result=%s\n", threads, good ? "ok" : "wrong");

  must(XGBoosterFree(serial), "XGBoosterFree");
  must(XGBoosterFree(booster), "XGBoosterFree");
  must(XGDMatrixFree(matrix), "XGDMatrixFree");
  free(expected);
  free(predicted);
  free(data.labels);
  free(data.values);
  return good ? 0 : 1;
}
