// The life of a request that a driver is handed: it is completed, queued or
// passed down exactly once before the dispatch routine returns.
OBSERVER AUTOMATON IoRequest
INITIAL STATE Done;

STATE USEFIRST Done :
  MATCH {io_new_request()} -> GOTO Fresh;
  MATCH {io_complete($?)} -> ERROR("completed after it was disposed of");
  MATCH {io_call_driver()} -> ERROR("passed down after it was disposed of");
  MATCH {io_queue()} -> ERROR("queued after it was disposed of");

STATE USEFIRST Fresh :
  MATCH {io_skip_stack()} -> GOTO Skipped;
  MATCH {io_copy_stack()} -> GOTO Copied;
  MATCH {io_mark_pending()} -> GOTO Marked;
  MATCH {io_complete($?)} -> GOTO Completed;
  MATCH {io_call_driver()} -> ERROR("passed down without a stack location");
  MATCH {io_set_completion()} -> ERROR("a completion routine without a stack location");
  MATCH {io_wait()} -> ERROR("waits for a request that was not sent");
  MATCH {io_returned()} -> ERROR("the request is forgotten");

STATE USEFIRST Skipped :
  MATCH {io_call_driver()} -> GOTO SentSkipped;
  MATCH {io_set_completion()} -> ERROR("a completion routine in a skipped location");
  MATCH {io_complete($?)} -> ERROR("completed after its location was skipped");
  MATCH {io_returned()} -> ERROR("the request is forgotten");

STATE USEFIRST Copied :
  MATCH {io_set_completion()} -> GOTO Armed;
  MATCH {io_call_driver()} -> GOTO Sent;
  MATCH {io_skip_stack()} -> ERROR("copied and skipped");
  MATCH {io_returned()} -> ERROR("the request is forgotten");

STATE USEFIRST Armed :
  MATCH {io_call_driver()} -> GOTO SentArmed;
  MATCH {io_complete($?)} -> ERROR("completed with a routine set");
  MATCH {io_returned()} -> ERROR("the request is forgotten");

STATE USEFIRST Sent :
  MATCH {io_returned()} -> GOTO Done;
  MATCH {io_complete($?)} -> ERROR("completed by two drivers");
  MATCH {io_wait()} -> ERROR("waits without a completion routine");
  MATCH {io_call_driver()} -> ERROR("passed down twice");

STATE USEFIRST SentSkipped :
  MATCH {io_returned()} -> GOTO Done;
  MATCH {io_complete($?)} -> ERROR("completed by two drivers");
  MATCH {io_wait()} -> ERROR("waits without a completion routine");
  MATCH {io_call_driver()} -> ERROR("passed down twice");

STATE USEFIRST SentArmed :
  MATCH {io_wait()} -> GOTO Regained;
  MATCH {io_complete($?)} -> ERROR("completed before it came back");
  MATCH {io_returned()} -> ERROR("the request will come back to nobody");

STATE USEFIRST Regained :
  MATCH {io_complete($?)} -> GOTO Completed;
  MATCH {io_returned()} -> ERROR("a regained request is forgotten");

STATE USEFIRST Marked :
  MATCH {io_queue()} -> GOTO Queued;
  MATCH {io_complete($?)} -> ERROR("completed after it was marked pending");
  MATCH {io_returned()} -> ERROR("marked pending and forgotten");

STATE USEFIRST Queued :
  MATCH {io_returned()} -> GOTO Done;
  MATCH {io_complete($?)} -> ERROR("completed while it is queued");

STATE USEFIRST Completed :
  MATCH {io_returned()} -> GOTO Done;
  MATCH {io_complete($?)} -> ERROR("completed twice");
  MATCH {io_call_driver()} -> ERROR("passed down after completion");

END AUTOMATON
