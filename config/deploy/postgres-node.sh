#!/bin/bash
# Runs one node of the log's PostgreSQL: the first makes the database, the others copy it and follow. On loopback, where
# everybody of this host is trusted; on a network of machines each node asks for a client certificate (hostssl … cert).
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  if [ -z "$PRIMARY_PORT" ]; then
    initdb --pgdata="$PGDATA" --username=predictd --auth=trust --locale=C --encoding=UTF8
  else
    until pg_isready --host=127.0.0.1 --port="$PRIMARY_PORT" --quiet; do sleep 1; done
    pg_basebackup --pgdata="$PGDATA" --write-recovery-conf --checkpoint=fast \
      --dbname="host=127.0.0.1 port=$PRIMARY_PORT user=predictd application_name=$NODE_NAME"
  fi
fi
exec postgres -D "$PGDATA" \
  -c listen_addresses=127.0.0.1 -c port="$NODE_PORT" -c unix_socket_directories=/tmp \
  -c synchronous_standby_names='ANY 1 (a, b, c)' -c synchronous_commit=on -c fsync=on -c full_page_writes=on \
  -c wal_keep_size=1GB -c hot_standby_feedback=on \
  -c tcp_keepalives_idle=2 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3 \
  -c client_connection_check_interval=2s -c wal_sender_timeout=5s
