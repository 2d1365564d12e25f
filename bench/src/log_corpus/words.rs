//! The words that logs are made of.

/// Half of the services have these names, the others have `-worker` behind them.
pub const SERVICES: &str = "\
    checkout billing inventory search auth gateway catalog shipping payments orders profile mailer \
    pricing reports session media ledger webhook scheduler metrics";

/// What messages are about.
pub const NOUNS: &str = "\
    cart invoice order user token cache index queue worker shard batch record payload message \
    session connection pool query transaction cursor lock lease replica partition offset topic \
    bucket object upload thumbnail price discount voucher address customer account balance refund \
    shipment carrier parcel warehouse stock item variant category keyword document template email \
    webhook callback schedule job task snapshot backup certificate request response";

/// What happened to it.
pub const VERBS: &str = "\
    accepted rejected created updated deleted loaded stored fetched expired renewed acquired \
    released flushed scheduled started finished retried skipped validated merged split published \
    consumed committed aborted resolved routed throttled encoded decoded compressed verified signed \
    mapped queued drained opened closed refreshed evicted";

/// How it happened.
pub const ENDINGS: &str = "\
    in time, by policy, after retry, from upstream, for tenant, on primary, with warnings, without \
    changes, because the limit was reached, while draining, before commit, as expected, due to \
    timeout, at checkpoint, to standby, in background";

/// Names of numbers.
pub const KEYS: &str = "\
    duration_ms attempt size count status retries shard partition offset bytes queue_depth \
    latency_us version port pool pending";

/// Ends of the names of classes.
pub const CLASSES: &str = "\
    Controller Service Repository Handler Client Factory Manager Listener Filter Executor Mapper \
    Resolver";
