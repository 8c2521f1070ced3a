#!/bin/sh
# Writes all rows to a new file in BACKUP_DIR, deletes files of more than BACKUP_KEEP_DAYS, and notes the time for Prometheus.
# The arguments are the command line: backup.sh node apps/api/dist/svc.js
set -eu
: "${BACKUP_DIR:?names the folder of the backups}"
umask 077
"$@" database backup "$BACKUP_DIR/claims-$(date -u +%Y%m%dT%H%M%SZ).backup"
# Only after a new one: if backups fail, the last ones stay.
find "$BACKUP_DIR" -maxdepth 1 -name 'claims-*.backup' -mtime "+${BACKUP_KEEP_DAYS:-14}" -delete
# The folder of node_exporter's textfile collector.
if [ -n "${BACKUP_METRICS_DIR:-}" ]; then
  draft=$BACKUP_METRICS_DIR/claims_backup.prom.$$
  {
    echo '# HELP claims_backup_completed_timestamp_seconds When the last backup was complete.'
    echo '# TYPE claims_backup_completed_timestamp_seconds gauge'
    echo "claims_backup_completed_timestamp_seconds $(date +%s)"
  } >"$draft"
  chmod 644 "$draft"
  mv "$draft" "$BACKUP_METRICS_DIR/claims_backup.prom"
fi
