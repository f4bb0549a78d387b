#!/usr/bin/env bash
# eigenmesh key and study, as a user types them: commands.sh EIGENMESH
export EIGENMESH=${1:-${EIGENMESH:?the path of the program}}
# shellcheck source=../cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
unset XDG_CONFIG_HOME
export HOME=$PWD/home

is_id='^em1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}$'

# ---- keys -----------------------------------------------------------------------------------------------------------

# A key, in the usual place and for its owner alone; the id and nothing else on stdout.
works key new
[[ $(wc -l <"$out") -eq 1 ]] || fail "more than the id is printed"
grep -qE "$is_id" "$out" || fail "this is no id"
[[ $(stat -c %a home/.config/eigenmesh/key) == 600 ]] || fail "the key is not 0600"
[[ $(stat -c %a home/.config/eigenmesh) == 700 && $(stat -c %a home) == 700 ]] || fail "the folders are not 0700"
cp "$out" id
works key show
cmp -s "$out" id || fail "key show has another id"
works key show home/.config/eigenmesh/key
cmp -s "$out" id || fail "key show FILE has another id"
cp home/.config/eigenmesh/key before
refuses 2 "is there already, and a key is never overwritten" key new
cmp -s home/.config/eigenmesh/key before || fail "the key is another one"

# By openssl, from the seed alone: the same public key, and so the same id (here by Python, from BIP-350's text).
seed=$(sed -n 2p home/.config/eigenmesh/key)
if command -v openssl >/dev/null && command -v python3 >/dev/null; then
    python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex("302e020100300506032b657004220420" + sys.argv[1]))' \
        "$seed" >seed.der
    openssl pkey -inform DER -in seed.der -pubout -outform DER | tail -c 32 >public
    python3 - public >id.other <<'PYTHON'
import sys
letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
def polymod(values):
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, term in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= term if top >> bit & 1 else 0
    return check
number = int.from_bytes(open(sys.argv[1], "rb").read(), "big") << 4
data = [number >> 5 * (51 - n) & 31 for n in range(52)]
check = polymod([3, 3, 0, 5, 13] + data + [0] * 6) ^ 0x2BC830A3
print("em1" + "".join(letters[n] for n in data + [check >> 5 * (5 - n) & 31 for n in range(6)]))
PYTHON
    cmp -s id id.other || fail "openssl and Python have another id: $(cat id.other)"
else
    echo "skipped: the id by openssl and Python, which are not both here"
fi

works key new -o site.key
[[ $(cat "$out") != "$(cat id)" ]] || fail "two keys are the same"
works key new -q -o deep/er/site.key
[[ ! -s $out ]] || fail "--quiet is not quiet"
XDG_CONFIG_HOME=$PWD/config works key new
[[ -f config/eigenmesh/key ]] || fail "XDG_CONFIG_HOME is not respected"
XDG_CONFIG_HOME=elsewhere works key show # a relative one is none
cmp -s "$out" id || fail "a relative XDG_CONFIG_HOME is used"
chmod 644 site.key
refuses 2 "others than its owner have rights to it (mode 0644); try 'chmod 600 site.key'" key show site.key
chmod 600 site.key
echo "more" >>site.key
refuses 2 "is no key of eigenmesh" key show site.key
refuses 2 "there is no key; try 'eigenmesh key new'" key show nowhere
refuses 2 "a private key stays in its file" key new -o -
refuses 2 "cannot be made" key new -o /proc/none/key
refuses 2 "needs a second word; try key new or key show" key
refuses 2 "key old: no such command; try key new or key show" key old
refuses 2 "'more' is one argument too many" key show site.key more
refuses 2 "'more' is one argument too many" key new more
HOME='' refuses 2 "HOME: is not set" key show
works key --help
says "  key new "
[[ $(grep -c . "$out") -ge 3 ]] || fail "key --help does not list its commands"

# An OpenSSL that has no Ed25519 to offer says so, and no file is left.
cat >fips.cnf <<'END'
openssl_conf = all
[all]
alg_section = evp
[evp]
default_properties = fips=yes
END
OPENSSL_CONF=$PWD/fips.cnf refuses 2 "Ed25519: this OpenSSL does not do it, as in FIPS mode" key new -o fips.key
[[ ! -e fips.key ]] || fail "a key was left"

# ---- studies --------------------------------------------------------------------------------------------------------

ids=(em1tjwxmunpe89cgpr4wa42alxegj6q2v504v50nvaftm6qfyxnm6zqd4qqgm
    em16p9tyvn59w62kwsndz75v90yumgzyj4hrgqkhtu9yz3n9jthsumsmdravm
    em1ypqypcmycy8jhmyurljspgwdfsj8ezwk2zspa4lg9j46seu80ssspdtnq8
    em1vmxkpzuj3wyw2rswl64r87h3cs7wlcrjjjctsl5luz46dg70wces4tdaln)
cat >heart.study <<END
[study]
name = heart
components = 10
scale = std
masks = no

[site berlin]
id = ${ids[0]}
address = berlin.example.org:7473
neighbours = paris, oslo

[site paris]
id = ${ids[1]}
address = [2001:db8::7]:7473
neighbours = oslo, rome

[site oslo]
id = ${ids[2]}

[site rome]
id = ${ids[3]}
END
works study check heart.study
grep -qE '^fingerprint +([0-9a-f]{4} ){9}[0-9a-f]{4}$' "$out" || fail "there is no fingerprint"
grep -qE '^root +berlin,' "$out" || fail "the root is not berlin"
grep -qE "^3 +rome +paris +${ids[3]}$" "$out" || fail "rome's line"
grep -qE '^paris +berlin +berlin.example.org:7473 +out at paris, in at berlin$' "$out" || fail "paris dials berlin"
grep -qE '^rome +paris +\[2001:db8::7\]:7473 +out at rome, in at paris$' "$out" || fail "rome dials paris"
says "not needed: paris - oslo"
says "berlin sees paris and all behind it, added up, oslo alone"
grep -qE '^tolerance +1e-06 \(default\)$' "$out" || fail "the tolerance"
grep -qE '^scale +std$' "$out" || fail "the scale"
# The columns of the firewall table lie under each other.
sed -n '/^from/,/^not needed/p' "$out" | sed '$d' >links
columns=$(awk '{ print index($0, $3) }' links | sort -u | wc -l)
[[ $(wc -l <links) -eq 4 && $columns -eq 1 ]] || fail "the table does not line up"
cp "$out" report
fingerprint=$(sed -n 's/^fingerprint *//p' report)

# The digest, by the definition in study_canonical.c and sha256sum.
works study check heart.study --json
says "\"fingerprint\": \"$fingerprint\""
{
    echo "eigenmesh study 1"
    printf 'option %s\n' "center yes" "components 0x1.4p+3" "consensus-rounds auto" "iterations auto" "method auto" \
        "oversample auto" "precision auto" "qr-signs positive" "rayleigh-ritz yes" "scale std" "seed 0" "step auto" \
        "step-decay constant" "tolerance 0x1.0c6f7a0b5ed8dp-20" "wire auto"
    echo "masks no"
    printf 'site %s\n' "berlin ${ids[0]}" "paris ${ids[1]}" "oslo ${ids[2]}" "rome ${ids[3]}"
    printf 'edge %s\n' "berlin paris" "berlin oslo" "paris oslo" "paris rome"
} >canonical
digest=$(sha256sum canonical | cut -d ' ' -f 1)
says "\"digest\": \"$digest\""
[[ $digest == "$(tr -d ' ' <<<"$fingerprint")"* ]] || fail "the fingerprint is not the digest's beginning"
if command -v python3 >/dev/null; then python3 -m json.tool <"$out" >/dev/null || fail "this is no JSON"; fi

# Windows' line ends and another address: the same study.
sed 's/berlin.example.org/192.0.2.1/; s/$/\r/' heart.study >windows.study
works study check windows.study
says "$fingerprint"
sed 's/components = 10/components = 11/' heart.study >other.study
works study check other.study
! grep -qF "$fingerprint" "$out" || fail "another study has the same fingerprint"
works study check heart.study -q
[[ ! -s $out ]] || fail "--quiet is not quiet"

# 147,604 columns: 2 x 147604 x 16 x 13 numbers of 8 bytes.
works study check heart.study -d 147604
says "root's memory   491 MB"
works study check heart.study -d 147604 --json
says '"root_memory": 491226112'
# 10 steps, down and up, 13 columns of 32 bits
says '"bytes_each_link": 153508160'

sed 's/^scale.*/method = dsa/; s/^\[site oslo\]/&\naddress = o:1/' heart.study >gossip.study
works study check gossip.study
! grep -qF "not needed" "$out" || fail "dsa needs all edges"
says "in every iteration, which is made from that site's covariance"

# Who can learn what: five lines of each kind, and with masks nobody sees anybody.
for study in heart gossip; do
    works study check $study.study
    says "What each can learn, without masks:"
    for who in strangers "a neighbour" "an inner node" "the root" "all members"; do
        grep -qE "^$who +[a-z]" "$out" || fail "$study: nothing is said of $who"
    done
done
sed '/^masks/d' heart.study >masked.study
works study check masked.study
says "What each can learn, with masks:"
says "a neighbour     noise: no number of a site's own leaves it but under masks"
[[ $(grep -cE '^(strangers|a neighbour|an inner node|the root|all members) ' "$out") -eq 5 ]] || fail "these are not five lines"
! grep -qF " sees " "$out" || fail "somebody sees somebody, with masks"
grep -qE '^masks +yes$' "$out" || fail "masks are not said to be there"
works study check masked.study -d 784
says "With 784 columns, by krylov:"
works study check masked.study --json
says '"masks": true'
says '"who": "the root"'
refuses 2 "has masks, as a study does that says nothing of them, and a method that shows" study check <(sed '/^masks/d' gossip.study)
sed 's/^scale.*/wire = 32/' masked.study >narrow.study
refuses 2 "narrow.study: wire: masked words have 64 bits" study check narrow.study
refuses 2 "nowhere.study: cannot be opened" study check nowhere.study
refuses 2 "study check: FILE is missing" study check
refuses 2 "needs a second word; try study check" study
refuses 2 "line 3: components 0" study check <(sed 's/= 10/= 0/' heart.study)
refuses 2 "--features: '0' is not a whole number" study check heart.study -d 0
refuses 2 "5 columns have no 10 components" study check heart.study -d 5
sed 's/^scale.*/method = deepca\nwire = 64/; s/^\[site oslo\]/&\naddress = o:1/' heart.study >wire.study
refuses 2 "wire.study: wire: not used by method deepca" study check wire.study
refuses 2 "rome cannot be reached from berlin" study check <(sed 's/oslo, rome/oslo/' heart.study)

# ---- node -----------------------------------------------------------------------------------------------------------

# No file of its own is written over: not the key, named or not, nor the log, the study or the data.
printf 'a,b,c\n1,2,3\n4,5,7\n' >data.csv
refuses 2 "--output: 'home/.config/eigenmesh/key' is the file of --key" node heart.study data.csv -o home/.config/eigenmesh/key
ln -s home/.config/eigenmesh/key linked
refuses 2 "--log: 'linked' is the file of --key" node heart.study data.csv --log linked
refuses 2 "--log: 'a.log' is the file of --output too" node heart.study data.csv -o a.log --log a.log
refuses 2 "--output: 'heart.study' is the file of STUDY too" node heart.study data.csv -o heart.study
refuses 2 "--log: is read again" node heart.study data.csv --log -
refuses 2 "--patience: '1day' is not a time; try 30s, 10min, 24h, or forever" node heart.study data.csv --patience 1day
refuses 2 "STUDY is missing" node
refuses 2 "INPUT is missing" node heart.study
