#include "kinds.h"

#include <stdio.h>
#include <string.h>

#define COMMAND(...) ((const char *const[]){"eigenmesh", __VA_ARGS__, NULL})
#define FIT(input)   COMMAND("fit", input, "-k", "2", "-n", "2", "-o", "model.npz")

const kind kinds[] = {
    {.name = "npy",
     .file = "x.npy",
     .bases = {"f64.npy", "f32.npy", "f16.npy", "i16.npy", "u8.npy", "fortran.npy"},
     .command = FIT("x.npy"),
     .output = "model.npz",
     .text = 1}, /* its header is */
    {.name = "npy-big-endian", .file = "x.npy", .bases = {"big.npy"}, .command = FIT("x.npy"), .output = "model.npz"},
    {.name = "csv",
     .file = "x.csv",
     .bases = {"plain.csv", "quoted.csv", "missing.csv", "semicolons.csv"},
     .command = FIT("x.csv"),
     .output = "model.npz",
     .text = 1},
    {.name = "tsv", .file = "x.tsv", .bases = {"plain.tsv"}, .command = FIT("x.tsv"), .output = "model.npz", .text = 1},
    {.name = "idx", .file = "x.idx", .bases = {"u8.idx", "f32.idx"}, .command = FIT("x.idx"), .output = "model.npz"},
    {.name = "cifar",
     .file = "x.bin",
     .bases = {"records.bin"},
     .command = COMMAND("fit", "x.bin", "-k", "2", "-n", "2", "--columns", "0-19", "-o", "model.npz"),
     .output = "model.npz"},
    {.name = "bed",
     .file = "x.bed",
     .bases = {"x.bed"},
     .beside = {"x.bim", "x.fam"},
     .command = FIT("x.bed"),
     .output = "model.npz"},
    {.name = "bim",
     .file = "x.bim",
     .bases = {"x.bim"},
     .beside = {"x.bed", "x.fam"},
     .command = FIT("x.bed"),
     .output = "model.npz",
     .text = 1},
    {.name = "fam",
     .file = "x.fam",
     .bases = {"x.fam"},
     .beside = {"x.bed", "x.bim"},
     .command = FIT("x.bed"),
     .output = "model.npz",
     .text = 1},
    {.name = "raw", .file = "x", .bases = {"f32.raw"}, .command = FIT("raw:f32:4:x"), .output = "model.npz"},
    {.name = "gz",
     .file = "x.gz",
     .bases = {"f64.npy.gz", "plain.csv.gz"},
     .command = FIT("x.gz"),
     .output = "model.npz",
     .under_seal = seal_break_gzip},
    {.name = "hdf5",
     .file = "x.h5",
     .bases = {"table.h5"},
     .command = FIT("x.h5"),
     .output = "model.npz",
     .optional = 1},
    {.name = "npz",
     .file = "x.npz",
     .bases = {"table.npz"},
     .command = FIT("x.npz"),
     .output = "model.npz",
     .under_seal = seal_break_zip,
     .optional = 1},
    {.name = "mtx",
     .file = "x.mtx",
     .bases = {"cells.mtx", "counts.mtx"},
     .command = FIT("x.mtx"),
     .output = "model.npz",
     .text = 1},
    {.name = "moments",
     .file = "x.npz",
     .bases = {"exact.npz", "sketch.npz"},
     .command = COMMAND("merge", "x.npz", "-k", "2", "-o", "model.npz"),
     .output = "model.npz",
     .under_seal = seal_break_zip},
    {.name = "model-info",
     .file = "m.npz",
     .bases = {"model.npz"},
     .command = COMMAND("info", "m.npz"),
     .under_seal = seal_break_zip},
    {.name = "model-transform",
     .file = "m.npz",
     .bases = {"model.npz"},
     .command = COMMAND("transform", "m.npz", INTACT_FILE, "-o", "scores.npy"),
     .output = "scores.npy",
     .under_seal = seal_break_zip},
    {.name = "checkpoint",
     .file = "run.ck",
     .bases = {"run.ck"},
     .command = COMMAND("fit", INTACT_FILE, "-k", "2", "-n", "3", "-m", "dsa", "--tolerance", "0", "--iterations", "60",
                        "--checkpoint", "run.ck", "--resume", "-o", "model.npz"),
     .output = "model.npz",
     .under_seal = seal_break_checkpoint},
    {.name = "edges",
     .file = "x.edges",
     .bases = {"six.edges"},
     .command =
         COMMAND("fit", INTACT_FILE, "-k", "2", "-n", "6", "-t", "file:x.edges", "-m", "deepca", "-o", "model.npz"),
     .output = "model.npz",
     .text = 1},
    {.name = "weights",
     .file = "w.npy",
     .bases = {"weights.npy"},
     .command = COMMAND("fit", INTACT_FILE, "-k", "2", "-n", "4", "-t", "cycle", "--weights", "file:w.npy", "-m",
                        "sdot", "--iterations", "30", "-o", "model.npz"),
     .output = "model.npz",
     .text = 1},
};

const size_t kind_count = sizeof kinds / sizeof *kinds;

/* ---- intact files ------------------------------------------------------------------------------------------------- */

enum { ROWS = 24, COLUMNS = 4 };

/* Small whole numbers, which every type can hold. */
static int number_at(int row, int column)
{
    return (row * row * 7 + column * column * 13 + row * column * 5) % 61;
}

static void write_table(const char *path, const char *header, char delimiter, const char *last_cell)
{
    FILE *file = fopen(path, "w");
    if (!file) die(path, "cannot be written");
    (void)fputs(header, file);
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++)
            (void)fprintf(file, "%s%d", column ? (char[]){delimiter, 0} : "", number_at(row, column));
        (void)fputs(last_cell, file);
        (void)fputc('\n', file);
    }
    if (fclose(file) != 0) die(path, "cannot be written");
}

/* What of it is odd, as Matrix Market. */
static void write_matrix(const char *path, const char *field)
{
    FILE *file = fopen(path, "w");
    int count = 0;
    if (!file) die(path, "cannot be written");
    for (int n = 0; n < ROWS * COLUMNS; n++) count += number_at(n / COLUMNS, n % COLUMNS) % 2;
    (void)fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n%% made\n%d %d %d\n", field, ROWS, COLUMNS,
                  count);
    for (int n = 0; n < ROWS * COLUMNS; n++) {
        int number = number_at(n / COLUMNS, n % COLUMNS);
        if (number % 2) (void)fprintf(file, "%d %d %d\n", n / COLUMNS + 1, n % COLUMNS + 1, number);
    }
    if (fclose(file) != 0) die(path, "cannot be written");
}

static void write_text(const char *path, const char *text)
{
    bytes b = bytes_of(text, strlen(text));
    bytes_write(&b, path);
    bytes_free(&b);
}

static void write_records(const char *path)
{
    enum { RECORD = 3073, RECORDS = 4 };
    static unsigned char records[RECORD * RECORDS];
    for (int n = 0; n < RECORD * RECORDS; n++) records[n] = (unsigned char)(n % RECORD ? n * n % 251 : n / RECORD);
    bytes b = bytes_of(records, sizeof records);
    bytes_write(&b, path);
    bytes_free(&b);
}

/* PLINK's three files: people, four to a byte, of variants that have a byte for each four. */
static void write_genotypes(void)
{
    unsigned char codes[3 + COLUMNS * ROWS / 4] = {0x6c, 0x1b, 1};
    char bim[COLUMNS * 32] = "", fam[ROWS * 32] = "";
    for (int n = 0; n < COLUMNS * ROWS / 4; n++) codes[3 + n] = (unsigned char)(37 * n * n + 11 * n);
    for (int n = 0; n < COLUMNS; n++)
        (void)snprintf(bim + strlen(bim), 32, "%d\trs%d\t0\t%d\tA\tG\n", 1 + n / 2, n, 100 + n);
    for (int n = 0; n < ROWS; n++) (void)snprintf(fam + strlen(fam), 32, "f%d i%d 0 0 %d -9\n", n, n, 1 + n % 2);
    bytes b = bytes_of(codes, sizeof codes);
    bytes_write(&b, "x.bed");
    bytes_free(&b);
    write_text("x.bim", bim);
    write_text("x.fam", fam);
}

/* The same .npy, with another word of the same length in its header. */
static void write_changed(const char *from, const char *to, const char *word, const char *other)
{
    bytes b = bytes_read(from);
    for (size_t n = 0; n + strlen(word) <= b.size; n++)
        if (memcmp(b.at + n, word, strlen(word)) == 0) {
            bytes_replace(&b, n, strlen(word), other, strlen(other));
            break;
        }
    bytes_write(&b, to);
    bytes_free(&b);
}

/* Run the program and have it end with this status; words are separated by one blank each. */
static void must_run(const victim *program, int status, const char *words)
{
    char copy[256], *argv[KIND_WORDS + 1] = {"eigenmesh"};
    int argc = 1;
    (void)snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, " "); word && argc < KIND_WORDS; word = strtok(NULL, " ")) argv[argc++] = word;
    verdict result = victim_run(program, argv);
    if (result.status != status) die(words, result.said);
}

void make_bases(const victim *program)
{
    write_table("plain.csv", "", ',', "");
    write_table("quoted.csv", "\"a, b\",\"say \"\"c\"\"\",d,e,name\n", ',', ",\"x, y\"");
    write_table("missing.csv", "a,b,c,d,e\n", ',', ",NA");
    write_table("semicolons.csv", "a;b;c;d\n", ';', "");
    write_table("plain.tsv", "a\tb\tc\td\n", '\t', "");
    write_text("six.edges", "# a ring and a chord\n0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n0 3\n");
    write_text("weights.csv", "0.5,0.25,0,0.25\n0.25,0.5,0.25,0\n0,0.25,0.5,0.25\n0.25,0,0.25,0.5\n");
    write_matrix("cells.mtx", "real");
    write_matrix("counts.mtx", "integer");
    write_records("records.bin");
    write_genotypes();
    must_run(program, 0, "convert weights.csv weights.npy");
    must_run(program, 0, "convert plain.csv f64.npy --dtype f64");
    must_run(program, 0, "convert plain.csv " INTACT_FILE " --dtype f64");
    must_run(program, 0, "convert plain.csv f32.npy --dtype f32");
    must_run(program, 0, "convert plain.csv f16.npy --dtype f16");
    must_run(program, 0, "convert plain.csv i16.npy --dtype i16");
    must_run(program, 0, "convert plain.csv u8.npy --dtype u8");
    must_run(program, 0, "convert plain.csv u8.idx --dtype u8");
    must_run(program, 0, "convert plain.csv f32.idx --dtype f32");
    must_run(program, 0, "convert plain.csv raw:f32:f32.raw");
    must_run(program, 0, "convert plain.csv f64.npy.gz --dtype f64");
    must_run(program, 0, "convert plain.csv plain.csv.gz");
    write_changed("f64.npy", "fortran.npy", "False", "True ");
    write_changed("i16.npy", "big.npy", "<i2", ">i2");
    must_run(program, 0, "fit " INTACT_FILE " -k 2 -n 3 -o model.npz");
    must_run(program, 0, "moments " INTACT_FILE " -o exact.npz");
    must_run(program, 0, "moments " INTACT_FILE " --directions 3 -o sketch.npz");
    /* a run that cannot write its model keeps its checkpoint */
    must_run(program, 1,
             "fit " INTACT_FILE
             " -k 2 -n 3 -m dsa --tolerance 0 --iterations 40 --checkpoint run.ck --checkpoint-every 0 "
             "-o /dev/full");
    bytes npy = bytes_read("f64.npy"), npz = zip_of("table.npy", &npy);
    bytes_write(&npz, "table.npz");
    bytes_free(&npz);
    bytes_free(&npy);
    /* a build without HDF5 leaves none: any file does, as it is refused */
    char *to_hdf5[] = {"eigenmesh", "convert", "plain.csv", "table.h5:/table", NULL};
    if (victim_run(program, to_hdf5).status != 0) write_text("table.h5", "\x89HDF\r\n\x1a\n");
}
