#!/usr/bin/env bash
# Twenty sites, five deep: all end with the same model, which is that of all rows.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"

options=(--threads 1)
study_of 20 "components = 3" "method = krylov"
all_start 20
all_end_well 20
model_is_right
logs_agree
echo "ok: 20 sites"
