// Reads host names from standard input on several goroutines and prints those that are blocked.
//
//	check FILTER [LIST] < hosts
//
// With the list that the filter was built from, it compares every answer with it.
// Exit codes: 0 all is well; 1 a wrong answer; 2 an error.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"example.org/anther-check/anther"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: check FILTER [LIST] < hosts")
		os.Exit(2)
	}
	code, err := run(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
	}
	os.Exit(code)
}

func run(path string, list []string) (int, error) {
	filter, err := anther.Open(path)
	if err != nil {
		return 2, err
	}
	defer filter.Close()
	rate, err := filter.Rate()
	if err != nil {
		return 2, err
	}
	truth := map[string]bool{}
	for _, name := range list {
		file, err := os.Open(name)
		if err != nil {
			return 2, err
		}
		hosts, err := lines(file)
		file.Close()
		if err != nil {
			return 2, fmt.Errorf("%s: %w", name, err)
		}
		for _, host := range hosts {
			truth[normal(host)] = true
		}
	}

	hosts, err := lines(os.Stdin)
	if err != nil {
		return 2, err
	}
	blocked, refused := make([]bool, len(hosts)), make([]bool, len(hosts))
	failed := make([]error, 4)
	var group sync.WaitGroup
	for worker := range failed {
		group.Add(1)
		go func(worker int) {
			defer group.Done()
			for at := worker; at < len(hosts); at += len(failed) {
				found, err := filter.Contains([]byte(hosts[at]))
				if err != nil && !errors.Is(err, anther.ErrKey) {
					failed[worker] = err
					return
				}
				// What is no domain equals no entry of the list.
				refused[at] = err != nil
				blocked[at] = found && err == nil
			}
		}(worker)
	}
	group.Wait()
	for _, err := range failed {
		if err != nil {
			return 2, err
		}
	}

	// One call for all that the rule takes, as one refused key would be an error: the same answers.
	var taken []string
	var alone []bool
	for at, host := range hosts {
		if !refused[at] {
			taken, alone = append(taken, host), append(alone, blocked[at])
		}
	}
	together, err := filter.ContainsMany(taken)
	if err != nil {
		return 2, err
	}
	for at, found := range together {
		if found != alone[at] {
			return 1, fmt.Errorf("%s: one answer alone, another with the rest", taken[at])
		}
	}

	absent, maybes, misses := 0, 0, 0
	for at, host := range hosts {
		if blocked[at] {
			fmt.Println(host)
		}
		switch listed := truth[normal(host)]; {
		case listed && !blocked[at]:
			misses++
		case !listed:
			absent++
			if blocked[at] {
				maybes++
			}
		}
	}
	if len(list) == 0 {
		return 0, nil
	}
	fmt.Fprintf(os.Stderr, "check: %d of %d absent hosts were false positives, %d false negatives\n",
		maybes, absent, misses)
	if misses > 0 || float64(maybes) > 2*rate*float64(absent)+10 {
		return 1, nil
	}
	return 0, nil
}

func normal(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// The lines of a text. One of more than 16 MiB is an error, not the end.
func lines(reader io.Reader) ([]string, error) {
	var all []string
	scanner := bufio.NewScanner(reader)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		all = append(all, scanner.Text())
	}
	return all, scanner.Err()
}
