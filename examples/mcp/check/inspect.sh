#!/usr/bin/env bash
# The inspector's command line at the server: lists, a call, a call that is refused, a resource, a prompt.
#
#   inspect.sh NODE INSPECTOR SERVER FOLDER
set -euo pipefail
node="$1" inspector="$2" server="$3" folder="$4"
export MCP_CATALOG_PATH="$folder/catalog.json" HOME="$folder"

ask() {
    local expected="$1"
    shift
    local answer
    answer="$("$node" "$inspector" --cli "$server" --db "$folder/inspect.db" "$@" 2>&1)" || true
    if ! grep -qF -- "$expected" <<<"$answer"; then
        printf '%s: no %s in\n%s\n' "$*" "$expected" "$answer" >&2
        exit 1
    fi
    printf '  %s: %s\n' "$*" "$expected"
}

ask '"canvas_apply_patch"' --method tools/list
ask '"lease-' --method tools/call --tool-name canvas_check_out
ask 'LOCK_NOT_OWNED' --method tools/call --tool-name canvas_read_all --tool-arg lease_id=nothing
ask 'canvas://notes/document' --method resources/list
ask '# Notes' --method resources/read --uri canvas://notes/document
ask 'canvas://{id}/board' --method resources/templates/list
ask 'edit-document' --method prompts/list
ask 'sort the list' --method prompts/get --prompt-name edit-document --prompt-args 'task=sort the list'

# Schemas that every client can show: without a problem of any severity.
for options in "--db $folder/inspect.db" "--document $folder/strict.md" "--folder $folder --tools document,board,directive,surface"; do
    # shellcheck disable=SC2086 # the options are words, and the folder has no spaces
    "$node" "$inspector" --cli --strict --method tools/list "$server" $options >/dev/null 2>"$folder/strict"
    if grep -v '^canvas-mcp: ' "$folder/strict" >&2; then
        exit 1
    fi
done
echo "  --strict: no problem"
