/* A study file that is good, for tests that change a piece of it. */
#ifndef TESTS_NET_STUDY_TEXTS_H
#define TESTS_NET_STUDY_TEXTS_H

/* Ids of the seeds 32 times 0x10, 0x11, ..., by Python's cryptography and BIP-350's algorithm. */
#define ID_0 "em1tjwxmunpe89cgpr4wa42alxegj6q2v504v50nvaftm6qfyxnm6zqd4qqgm"
#define ID_1 "em16p9tyvn59w62kwsndz75v90yumgzyj4hrgqkhtu9yz3n9jthsumsmdravm"
#define ID_2 "em1ypqypcmycy8jhmyurljspgwdfsj8ezwk2zspa4lg9j46seu80ssspdtnq8"
#define ID_3 "em1vmxkpzuj3wyw2rswl64r87h3cs7wlcrjjjctsl5luz46dg70wces4tdaln"

static const char base[] = "[study]\n"
                           "name = heart\n"
                           "components = 10\n"
                           "tolerance = 1e-6\n"
                           "scale = std\n"
                           "masks = no\n"
                           "\n"
                           "[site berlin]\n"
                           "id = " ID_0 "\n"
                           "address = berlin.example.org:7473\n"
                           "neighbours = paris, oslo\n"
                           "\n"
                           "[site paris]\n"
                           "id = " ID_1 "\n"
                           "address = 192.0.2.7:7473\n"
                           "neighbours = oslo\n"
                           "\n"
                           "[site oslo]\n"
                           "id = " ID_2 "\n";

enum { TEXT_ROOM = 8192 };

/* The text with its first `from` replaced. */
static inline size_t changed(char out[TEXT_ROOM], const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    return (size_t)snprintf(out, TEXT_ROOM, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

#endif
