-- Where a rate stands. Under the writer's lock, so no other claim moves it meanwhile.
SELECT pace FROM jobs_pace WHERE limited = ?1;
