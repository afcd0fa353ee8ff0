#!/bin/sh
# Questions to a terminology folder without a server. Each answer is also an exit code:
# 0 yes, 1 a clean no, 2 wrong usage, 3 failure. Run it where roget is on the PATH:
#
#   sh offline.sh FOLDER-WITH-FHIR-RESOURCES
set -eu
base=https://roget.health/fhir
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
export ROGET_DATA="$data"

# Compile once; every question afterwards opens the folder in milliseconds.
roget load "${1:?a folder with FHIR resources, such as examples/samples}" --quiet > /dev/null

echo "Is a sheepdog a pet?"
if roget subsumes pet sheepdog --system $base/CodeSystem/animals > /dev/null; then echo yes; else echo no; fi

echo "Is a wolf one?"
if roget member-of wolf --system $base/CodeSystem/animals --value-set-url $base/ValueSet/pets > /dev/null; then echo yes; else echo no; fi

echo "Pets with a name in any language that begins with s:"
roget expand $base/ValueSet/pets --filter s --output json | tr ',{' '\n\n' | sed -n 's/^"display":"\([^"]*\)".*/  \1/p'

echo "A patient in orange has the priority:"
roget translate orange --system $base/CodeSystem/triage-colours --output json | tr ',{' '\n\n' | sed -n 's/^"code":"\([^"]*\)".*/  \1/p'

echo "Codes that are not there give exit code:"
code=0
roget lookup gryphon --system $base/CodeSystem/animals 2> /dev/null || code=$?
echo "  $code"
